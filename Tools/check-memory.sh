#!/bin/sh
# Checks that unsafe code says why it is safe. A source file that handles memory, or promises thread safety to
# the compiler, needs a `// SAFETY:` comment. Each of these comments names the tests that would notice a fault,
# and the tests must exist. Sources/CShims/README.md has the rules.
set -eu
cd "$(dirname "$0")/.."
status=0

# What counts, outside comments. ByteView is the sources' name for a buffer pointer of bytes.
unsafe='[Uu]nsafe|\bByteView\b|@unchecked|\bUnmanaged\b'

for file in $(
  {
    grep -lE "^[^/]*($unsafe)" -r Sources --include='*.swift' || true
    grep -lE '\bstatic inline\b' -r Sources --include='*.h' || true
  } | LC_ALL=C sort
); do
  if ! grep -qE '^ *// SAFETY: ' "$file"; then
    echo "$file: unsafe code without a '// SAFETY:' comment; write why it is safe, and 'Tests: ...'" >&2
    status=1
  fi
done

# Suites and their tests, then the lines of comments. A comment ends before the first line that is not one.
{
  grep -rE '(struct|class|enum|extension) [A-Z][A-Za-z0-9]*Tests\b|func [a-z]' Tests --include='*.swift'
  grep -rnE '^ *// ' Sources --include='*.swift' --include='*.h'
} | awk '
  function report(problem) {
    print place ": " problem > "/dev/stderr"
    failed = 1
  }
  function check(    rest, name) {
    if (comment == "") return
    if (comment !~ /Tests: /) report("the SAFETY comment names no tests; end it with '\''Tests: ...'\''")
    rest = comment
    while (match(rest, /[A-Z][A-Za-z0-9]*Tests(\.[a-z][A-Za-z0-9]*)?/)) {
      name = substr(rest, RSTART, RLENGTH)
      if (!(name in known)) report("there are no tests '\''" name "'\''")
      rest = substr(rest, RSTART + RLENGTH)
    }
    comment = ""
  }
  /^Tests\// {
    path = substr($0, 1, index($0, ":") - 1)
    if (path != last) split("", suites)
    last = path
    if (match($0, /(struct|class|enum|extension) [A-Z][A-Za-z0-9]*Tests/)) {
      name = substr($0, RSTART, RLENGTH)
      sub(/^[a-z]* /, "", name)
      known[name] = suites[name] = 1
    } else if (match($0, /func [a-z][A-Za-z0-9]*/)) {
      for (suite in suites) known[suite "." substr($0, RSTART + 5, RLENGTH - 5)] = 1
    }
    next
  }
  {
    split($0, parts, ":")
    text = substr($0, length(parts[1]) + length(parts[2]) + 3)
    sub(/^ *\/\/ /, "", text)
    follows = parts[1] == file && parts[2] == line + 1
    if (!follows || text ~ /^SAFETY: /) check()
    if (text ~ /^SAFETY: /) {
      place = parts[1] ":" parts[2]
      comment = text
    } else if (comment != "") {
      comment = comment " " text
    }
    file = parts[1]
    line = parts[2]
  }
  END {
    check()
    exit failed
  }' || status=1
exit $status
