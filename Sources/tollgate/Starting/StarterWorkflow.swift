/// The workflow for GitHub Actions that `tollgate init` writes.
enum StarterWorkflow {
  static func text(_ starter: Starter) -> String {
    """
    # Checks the paywall config and the outcomes of known users, whenever one of them changes.
    # TOLLGATE.md says what the files are.
    name: Paywalls

    on:
      push:
        branches: [main]
      pull_request:

    permissions:
      contents: read

    env:
      # Set both before you push this: the URL of tollgate's release archive for Linux (.tar.gz), and
      # the SHA-256 that is published with it, alone or with the name of the file behind it.
      TOLLGATE_ARCHIVE: ""
      TOLLGATE_SHA256: ""

    jobs:
      paywalls:
        runs-on: ubuntu-latest
        timeout-minutes: 10
        steps:
          - uses: actions/checkout@v4

          - name: Install tollgate
            run: |
              if [ -z "$TOLLGATE_ARCHIVE" ] || [ -z "$TOLLGATE_SHA256" ]; then
                echo "::error::Set TOLLGATE_ARCHIVE and TOLLGATE_SHA256 in .github/workflows/paywalls.yml"
                exit 1
              fi
              folder="$RUNNER_TEMP/tollgate"
              mkdir -p "$folder"
              curl --fail --silent --show-error --location --retry 3 \\
                --output "$folder/archive.tar.gz" "$TOLLGATE_ARCHIVE"
              echo "${TOLLGATE_SHA256%%[[:space:]]*}  $folder/archive.tar.gz" | sha256sum --check
              tar -xzf "$folder/archive.tar.gz" -C "$folder"
              program="$(find "$folder" -type f -name tollgate -perm -u+x | head -n 1)"
              if [ -z "$program" ]; then
                echo "::error::TOLLGATE_ARCHIVE has no tollgate in it"
                exit 1
              fi
              dirname "$program" >> "$GITHUB_PATH"

          # Findings are annotations beside the lines that they are about.
          - name: Check the config
            run: tollgate check config.json --strict

          - name: Compare the outcomes
            run: |
              tollgate precompute config.json --users users.ndjson \(starter.basis) \\
                --out "$RUNNER_TEMP/outcomes.csv" --manifest none
              diff -u expected.csv "$RUNNER_TEMP/outcomes.csv"

    """
  }
}
