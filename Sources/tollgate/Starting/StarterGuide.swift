internal import RuleEngine

/// What the files of a beginning are, for those who find them: `TOLLGATE.md`.
enum StarterGuide {
  static func text(_ starter: Starter) -> String {
    """
    # Paywalls, checked before they ship

    | file | what it is |
    |---|---|
    | `config.json` | \(starter.format == .superwall ? superwallLine : agentWallieLine) |
    | `users.ndjson` | eight users, a JSON object a line |
    | `user.json` | one of them, who is held back by a limit |
    | `expected.csv` | what each of them gets at a fixed time\(starter.format == .superwall ? " and seed" : "") |
    | `outcomes.tests.json` | the test that they do, for `tollgate test` |
    | `.github/workflows/paywalls.yml` | checks all of this in GitHub Actions, and says on pull requests who gets something else; it works in the root of a repository, once `TOLLGATE_ARCHIVE` and `TOLLGATE_SHA256` are set |

    ## Try it

    ```sh
    \(starter.commands(in: "").joined(separator: "\n"))
    ```

    ## When you change the config

    See what becomes of the users:

    ```sh
    tollgate precompute config.json --users users.ndjson \(starter.basis) --out outcomes.csv --manifest none
    diff expected.csv outcomes.csv
    ```

    `tollgate test` says why somebody gets something else:

    ```sh
    tollgate test outcomes.tests.json --config config.json
    ```

    If it is what you want, move `outcomes.csv` to `expected.csv` and commit it with the config. The workflow fails while
    the two differ. Tests of your own go into files such as `own.tests.jsonl`, a user and what is expected a line.

    ## The config

    \(starter.format == .superwall ? superwallParts : agentWallieParts)

    ## Your own

    \(starter.format == .superwall ? superwallFetch : agentWallieFetch)

    Replace the users by records of your own, with the attributes that your rules read; a record has these members,
    and all but `userId` may be left out:

    ```json
    {"userId": "u-1", "user": {}, "device": {}, "params": {}, "entitlements": [],
     "assignments": [], "occurrences": {"KEY": ["2026-02-27T18:30:00Z"]}}
    ```

    """
  }

  private static let superwallLine =
    "the config, in the form of Superwall's static config: two placements, three audiences, two paywalls"

  private static let agentWallieLine =
    "the config, in AgentWallie's form: two campaigns, three audiences, two paywalls"

  private static let superwallParts = #"""
    JSON has no comments, so here is what the parts are:

    - `trigger_options`: a placement each. `event_name` is the name that the app registers.
    - `rules`: its audiences, tried from the first to the last; the first that matches takes the user.
    - `expression_cel`: who is in the audience. `user` holds what the app says of the user, `device` what the SDK
      says of the device, `params` what the placement is registered with. `has(user.plan) && ...` keeps a rule from
      failing for users without a plan.
    - `variants`: the paywalls that an audience's users are spread over, with their shares in percent, and a
      `HOLDOUT`, which shows nothing.
    - `occurrence`: how often the audience may take a user: `max_count` times in so many `minutes`, counted under
      `key`. Who has reached the limit goes on to the next audience.
    - `paywall_responses`: the paywalls, by `identifier`, with their products.
    - Everything else (`log_level`, `toggles`, ...) is what SDKs in apps require; Tollgate decides without it.
    """#

  private static let agentWallieParts = #"""
    JSON has no comments, so here is what the parts are:

    - `campaigns`: each with the `placements` that it answers for, by the `name` that the app registers.
    - `audiences`: tried by `priority_order`, the lowest first; the first that matches takes the user. Users who own
      `entitlement_check` are passed on to the next one.
    - `filters`: who is in the audience; all of them have to hold, unless a `conjunction` is `or`. An empty list is
      everybody.
    - `experiment`: the paywalls that an audience's users are spread over, with their shares in percent. What is left
      to a hundred is held out.
    - `frequency_cap`: how often the audience may take a user.
    - `paywalls`, by their ID, and `products`, which their slots name.
    """#

  private static let superwallFetch = #"""
    Take your app's config in place of this one; the public key is in your app's code:

    ```
    TOLLGATE_KEY=pk_... tollgate fetch --force
    ```

    From then on `tollgate fetch` brings the newest one, and `git diff` shows what is new.
    """#

  private static let agentWallieFetch = #"""
    Take your project's config in place of this one; the public key is in your app's code:

    ```
    TOLLGATE_KEY=pk_... tollgate fetch --config-format agentwallie --force
    ```

    From then on `tollgate fetch --config-format agentwallie` brings the newest one, and `git diff` shows what is new.
    """#
}
