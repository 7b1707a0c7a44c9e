/// The workflow for GitHub Actions that `tollgate init` writes.
enum StarterWorkflow {
  static func text(_ starter: Starter) -> String {
    """
    # Checks the paywall config, runs its tests, and says on pull requests who gets something else.
    name: Paywalls

    on:
      push:
        # Whichever of them is the branch that others are merged into.
        branches: [main, master]
      pull_request:

    # Of a pull request only the newest push counts.
    concurrency:
      group: ${{ github.workflow }}-${{ github.ref }}
      cancel-in-progress: ${{ github.event_name == 'pull_request' }}

    permissions:
      contents: read
      pull-requests: write

    env:
      # Set both before you push this: the URL of tollgate's release archive for Linux (.tar.gz), and
      # the SHA-256 that is published with it, alone or with the name of the file behind it.
      TOLLGATE_ARCHIVE: ""
      TOLLGATE_SHA256: ""
      CONFIG: config.json
      # Whose outcomes are compared on pull requests, and as of when.
      USERS: users.ndjson
      AS_OF: \(starter.basis)

    jobs:
      paywalls:
        runs-on: ubuntu-latest
        timeout-minutes: 10
        steps:
          - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2

          - name: Install tollgate
            id: install
            run: |
              if [ -z "$TOLLGATE_ARCHIVE" ] || [ -z "$TOLLGATE_SHA256" ]; then
                echo "::error::Set TOLLGATE_ARCHIVE and TOLLGATE_SHA256 at the top of this workflow"
                exit 1
              fi
              folder="$RUNNER_TEMP/tollgate"
              mkdir -p "$folder"
              curl --fail --silent --show-error --location --retry 3 \\
                --output "$folder/archive.tar.gz" "$TOLLGATE_ARCHIVE"
              hash="$(sha256sum < "$folder/archive.tar.gz")"
              if [ "${hash%% *}" != "$(printf %s "${TOLLGATE_SHA256%%[[:space:]]*}" | tr A-F a-f)" ]; then
                echo "::error::The SHA-256 of TOLLGATE_ARCHIVE is ${hash%% *}, which is not TOLLGATE_SHA256"
                exit 1
              fi
              tar -xzf "$folder/archive.tar.gz" -C "$folder"
              program="$(find "$folder" -type f -name tollgate -perm -u+x -print -quit)"
              if [ -z "$program" ]; then
                echo "::error::TOLLGATE_ARCHIVE has no tollgate in it"
                exit 1
              fi
              dirname "$program" >> "$GITHUB_PATH"

          # Findings are annotations beside the lines that they are about.
          - name: Check the config
            run: tollgate check "$CONFIG" --strict

          # First of the users, then of all users there could be; also where the check fails.
          - name: Say who gets something else
            if: ${{ !cancelled() && steps.install.outcome == 'success' && github.event_name == 'pull_request' }}
            env:
              BASE: ${{ github.base_ref }}
            run: |
              report="$RUNNER_TEMP/report.md"
              # By which the comment about this config is found again.
              name="$(git rev-parse --show-prefix)$CONFIG"
              echo "<!-- tollgate ${name//[^[:alnum:]._\\/-]/_} -->" > "$report"
              read -rd '' -a as_of <<< "$AS_OF" || true
              git fetch --quiet --no-tags --depth=1 origin "+refs/heads/$BASE:refs/remotes/origin/$BASE"
              if git show "origin/$BASE:./$CONFIG" > "$RUNNER_TEMP/old.json"; then
                compare() {
                  tollgate diff "$RUNNER_TEMP/old.json" "$CONFIG" "$@" "${as_of[@]}" \\
                    --format markdown --exit-zero --keep-going >> "$report" && return
                  printf '\\nThe configs could not be compared; the log of this run says why.\\n' >> "$report"
                  failed=1
                }
                printf 'By `%s`, compared with that of %s:\\n\\n' "$name" "$BASE" >> "$report"
                if [ -n "$USERS" ]; then
                  compare --users "$USERS"
                  printf '\\n<details><summary>All users there could be</summary>\\n\\n' >> "$report"
                  compare
                  printf '\\n</details>\\n' >> "$report"
                else
                  compare
                fi
              else
                echo "There is no $name in $BASE to compare with." >> "$report"
              fi
              cat "$report" >> "$GITHUB_STEP_SUMMARY"
              exit "${failed:-0}"

          # One comment, which is written anew with every push. GitHub takes 65,536 characters.
          - name: Post it on the pull request
            if: ${{ !cancelled() && steps.install.outcome == 'success' && github.event_name == 'pull_request' }}
            env:
              GH_TOKEN: ${{ github.token }}
              NUMBER: ${{ github.event.pull_request.number }}
            run: |
              comment="$RUNNER_TEMP/comment.md"
              LC_ALL=C awk '{ size += length($0) + 1 }
                size >= 60000 { next }
                { print }
                /^<details>/ { isOpen = 1 }
                /^<\\/details>/ { isOpen = 0 }
                END {
                  if (size >= 60000 && isOpen) print "\\n</details>"
                  if (size >= 60000) print "\\nThe rest is in the summary of the workflow run."
                }' "$RUNNER_TEMP/report.md" > "$comment"
              mine='.[] | select(.user.login == "github-actions[bot]")
                | select(.body | startswith("'"$(head -n 1 "$comment")"'")) | .id'
              post() {
                issues="repos/$GITHUB_REPOSITORY/issues"
                ids="$(gh api --paginate "$issues/$NUMBER/comments" --jq "$mine")" || return
                if [ -n "$ids" ]; then
                  gh api --silent --method PATCH "$issues/comments/${ids%%[[:space:]]*}" --field "body=@$comment"
                else
                  gh api --silent --method POST "$issues/$NUMBER/comments" --field "body=@$comment"
                fi
              }
              # Runs for forks and for Dependabot may not write.
              post || echo "::warning::The comparison could not be posted; it is in the summary of this run"

          - name: Run the tests
            if: ${{ !cancelled() && steps.install.outcome == 'success' }}
            run: tollgate test '*.tests.json*' --config "$CONFIG"

    """
  }
}
