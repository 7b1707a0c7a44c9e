# Reads the list of folders, then Swift sources; see check-folders.sh.

function complain(text) { print text; failed = 1 }

# The folder of a file: the longest one of its target that is listed. What lies in the target itself
# comes first, unless the list says otherwise.
function folder(path,    rest) {
  rest = path
  while (sub("/[^/]*$", "", rest)) if (rest in place) return rest
  if (path !~ "^Sources/[^/]*/[^/]*$") return ""
  sub("/[^/]*$", "", path)
  place[path] = 0
  return path
}

# A line without comments and texts. What texts interpolate stays.
function code(line) {
  if (line ~ /^[ \t]*\/\//) return ""
  if (index(line, "\"\"\"")) { isText = !isText; return "" }
  if (isText) return ""
  gsub(/"([^"\\]|\\[^(])*"/, "", line)
  sub(/\/\/.*/, "", line)
  return line
}

# The name that a line declares a type under, or "". Sets `isOwn` when the name is for this file
# alone: it is private, or stands inside another type.
function declared(line) {
  isOwn = line ~ /^[ \t]/ || line ~ /^(file)?private /
  sub(/^[ \t]*/, "", line)
  while (sub(/^(@[A-Za-z_]+(\([^)]*\))?|public|package|internal|fileprivate|private|final|indirect|nonisolated) /, "", line)) {}
  if (line !~ /^(struct|enum|class|actor|protocol|typealias) [A-Z]/) return ""
  sub(/^[a-z]+ /, "", line)
  match(line, /^[A-Za-z0-9_]+/)
  return substr(line, 1, RLENGTH)
}

# Parameters of generic functions and types are names of their file, too.
function takeParameters(line,    names, n, i) {
  if (!match(line, /(func|init|struct|enum|class) *[A-Za-z0-9_]*<[^>]*>/)) return
  line = substr(line, RSTART, RLENGTH)
  sub(/^[^<]*</, "", line)
  n = split(line, names, /[^A-Za-z0-9_]+/)
  for (i = 1; i <= n; i++) own[file, names[i]] = 1
}

# The list: a target's name, its folders below it, and what is allowed all the same.
FILENAME == list {
  if (/^#/ || NF == 0) next
  if (/^[^ ]/) { target = $1; sub(/:$/, "", target); count = 0; next }
  if ($1 == "except") {
    if (!/ uses [A-Za-z0-9_]+: ./) complain(list ":" FNR ": write 'except FOLDER uses TYPE: reason'")
    sub(/:$/, "", $4)
    allowed["Sources/" target "/" $2 SUBSEP $4] = FNR
    next
  }
  place["Sources/" target ($1 == "." ? "" : "/" $1)] = ++count
  next
}

FNR == 1 {
  file = FILENAME
  here = folder(file)
  isText = 0
  pass = ++passes[file]
  if (pass == 1 && here == "") {
    name = file
    sub("/[^/]*$", "", name)
    if (!(name in missing)) complain(name ": this folder is not in " list "; add it at its place")
    missing[name] = 1
  }
}

# First pass: who declares what.
pass == 1 {
  line = code($0)
  takeParameters(line)
  name = declared(line)
  if (name == "") next
  split(file, parts, "/")
  if (isOwn) own[file, name] = 1
  else if (here != "") home[parts[2], name] = here
  next
}

# Second pass: who uses what.
{
  line = code($0)
  split(file, parts, "/")
  before = ""
  while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
    name = substr(line, RSTART, RLENGTH)
    before = RSTART > 1 ? substr(line, RSTART - 1, 1) : ""
    line = substr(line, RSTART + RLENGTH)
    if (before == "." || !((parts[2], name) in home) || (file, name) in own) continue
    there = home[parts[2], name]
    if (here == "" || place[there] <= place[here]) continue
    if ((here, name) in allowed) { used[here, name] = 1; continue }
    if ((file, FNR, name) in told) continue
    told[file, FNR, name] = 1
    complain(file ":" FNR ": '" substr(here, 9) "' uses '" name "' of '" substr(there, 9) "', which comes after it")
  }
}

END {
  for (key in allowed) if (!(key in used)) {
    split(key, parts, SUBSEP)
    complain(list ":" allowed[key] ": '" substr(parts[1], 9) "' does not use a later '" parts[2] "'; remove the exception")
  }
  exit failed
}
