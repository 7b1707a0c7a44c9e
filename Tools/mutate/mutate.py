#!/usr/bin/env python3
"""Mutation testing: plants the faults of mutants.jsonl and sees whether corpus and tests notice each.

usage: Tools/mutate/mutate.py check [--build]
       Tools/mutate/mutate.py plant [--into FOLDER] [--mutants FILE]
       Tools/mutate/mutate.py run [NUMBER|FROM-TO|PATH]... [--jobs N] [--time SECONDS] [--fresh] [...]
       Tools/mutate/mutate.py table
       Tools/mutate/mutate.py suggest COUNT [--seed N] [PATH]...

All mutants are in one build, of a copy of the repository in out/mutate/tree; the environment variable
TOLLGATE_MUTANT says which of them is alive. README.md beside this file says how places are written.
"""
import argparse, json, mmap, os, random, re, signal, subprocess, sys, threading, time, zlib

from places import places

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MUTANTS = os.path.join(ROOT, "Tools/mutate/mutants.jsonl")
OUT = os.path.join(ROOT, "out/mutate")
KEYS = {"id", "file", "in", "before", "after", "catcher", "equivalent", "note"}

CLIB = """\
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif
"""

# Numbers that all processes of a run share: the mutant that is alive, the one that a sweep tries, how many it has
# tried, and from HITS on a 1 for each mutant whose place was reached.
HITS, NUMBERS = 16, 16384

# In the target before all others, whoever names it.
MEMORY = CLIB + f"""
@_cdecl("tollgate_mutants")
public func tollgateMutants() -> UnsafeMutablePointer<Int32> {{ sharedNumbers }}

private nonisolated(unsafe) let sharedNumbers: UnsafeMutablePointer<Int32> = {{
  if let path = getenv("TOLLGATE_MUTANTS") {{
    let file = open(path, O_RDWR)
    let memory = mmap(nil, {NUMBERS} * 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    if let memory, memory != MAP_FAILED {{ return memory.assumingMemoryBound(to: Int32.self) }}
  }}
  let memory = UnsafeMutablePointer<Int32>.allocate(capacity: {NUMBERS})
  memory.initialize(repeating: 0, count: {NUMBERS})
  memory[0] = getenv("TOLLGATE_MUTANT").flatMap {{ Int32(String(cString: $0)) }} ?? 0
  return memory
}}()
"""

SWITCH = f"""
@_silgen_name("tollgate_mutants") private func mutantNumbers() -> UnsafeMutablePointer<Int32>

nonisolated(unsafe) let livingMutant = mutantNumbers()

func isAlive(_ mutant: Int) -> Bool {{
  livingMutant[{HITS} + mutant] = 1
  return livingMutant[0] == mutant
}}
"""

# Runs each case of the corpus once, and then again with each of the mutants alive that it has reached.
SWEEP = CLIB + f"""
internal import Scenarios

private nonisolated(unsafe) var tries: [Int: Int] = {{
  guard let text = getenv("TOLLGATE_SWEEP") else {{ return [:] }}
  let numbers = String(cString: text).split(separator: ",").compactMap {{ Int($0) }}
  return Dictionary(uniqueKeysWithValues: numbers.map {{ ($0, 0) }})
}}()

func swept(_ testCase: Case) throws(CaseFileError) -> Verdict {{
  if tries.isEmpty {{ return try CaseSuites.run(testCase) }}
  for mutant in tries.keys {{ livingMutant[{HITS} + mutant] = 0 }}
  let verdict = try CaseSuites.run(testCase)
  if case .failed = verdict {{
    print("SPOILT \\(testCase.suite) \\(testCase.id)")
    exit(3)
  }}
  guard case .passed = verdict else {{ return verdict }}
  for mutant in tries.keys.filter({{ livingMutant[{HITS} + $0] != 0 }}).sorted() {{
    guard tries[mutant, default: 0] < MOST else {{ continue }}
    tries[mutant, default: 0] += 1
    livingMutant[1] = Int32(mutant)
    livingMutant[2] &+= 1
    livingMutant[0] = Int32(mutant)
    var isCaught = true
    do {{ if case .passed = try CaseSuites.run(testCase) {{ isCaught = false }} }} catch {{}}
    livingMutant[0] = 0
    livingMutant[1] = 0
    guard isCaught else {{ continue }}
    print("CAUGHT \\(mutant) \\(testCase.suite) \\(testCase.id)")
    tries[mutant] = nil
  }}
  return verdict
}}
"""
# How often one file tries a mutant, of those cases that reach it.
MOST = 400

# What an operator is called when a mutant may stand in for it, with the signature of both.
COMPARISON = ("ComparisonPrecedence", "<T: Comparable>(a: T, b: T) -> Bool", "")
EQUALITY = ("ComparisonPrecedence", "<T: Equatable>(a: T, b: T) -> Bool", "")
LOGIC = "(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool"
OPERATORS = {
    "<": COMPARISON, "<=": COMPARISON, ">": COMPARISON, ">=": COMPARISON,
    "==": EQUALITY, "!=": EQUALITY,
    "&&": ("LogicalConjunctionPrecedence", LOGIC, "()"),
    "||": ("LogicalDisjunctionPrecedence", LOGIC, "()"),
    "+": ("AdditionPrecedence", "<T: AdditiveArithmetic>(a: T, b: T) -> T", ""),
    "-": ("AdditionPrecedence", "<T: AdditiveArithmetic>(a: T, b: T) -> T", ""),
    "*": ("MultiplicationPrecedence", "<T: BinaryInteger>(a: T, b: T) -> T", ""),
    "/": ("MultiplicationPrecedence", "<T: BinaryInteger>(a: T, b: T) -> T", ""),
    "%": ("MultiplicationPrecedence", "<T: BinaryInteger>(a: T, b: T) -> T", ""),
    "..<": ("RangeFormationPrecedence", None, ""),
}


class Problem(Exception):
    pass


def read_mutants(path):
    mutants, seen = [], set()
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                mutant = json.loads(line)
            except ValueError as error:
                raise Problem(f"{path}:{number}: {error}")
            unknown = set(mutant) - KEYS
            missing = {"id", "file", "before", "after"} - set(mutant)
            if unknown or missing:
                raise Problem(f"{path}:{number}: {'unknown' if unknown else 'missing'} "
                              + ", ".join(sorted(unknown or missing)))
            if mutant["id"] in seen:
                raise Problem(f"{path}:{number}: there are two mutants {mutant['id']}")
            if not 0 < mutant["id"] < NUMBERS - HITS:
                raise Problem(f"{path}:{number}: the id {mutant['id']} is not within 1...{NUMBERS - HITS - 1}")
            seen.add(mutant["id"])
            mutants.append(mutant)
    return mutants


def place(mutant, text):
    """Where in a file a mutant is planted: the one place of its text in the one place of what is around it."""
    number, file, before = mutant["id"], mutant["file"], mutant["before"]
    around = mutant.get("in", before)

    def only(part, whole, what):
        count = whole.count(part)
        if count != 1:
            found = "is not in" if count == 0 else f"is {count} times in"
            raise Problem(f"mutant {number}: {json.dumps(part, ensure_ascii=False)} {found} {what}")
        return whole.index(part)

    start = only(around, text, file)
    if before in OPERATORS:
        tokens = [m.start() for m in re.finditer(rf"(?<= ){re.escape(before)}(?= )", around)]
        if len(tokens) != 1:
            raise Problem(f"mutant {number}: {before} is {len(tokens)} times in its \"in\"")
        start += tokens[0]
    elif around != before:
        start += only(before, around, f'the "in" of it')
    return start, start + len(before)


def operator_name(mutant):
    """An operator of its own: the number of the mutant in characters that operators may have."""
    digits = "".join("~^*%-|&+</"[int(digit)] for digit in str(mutant["id"]))
    # No comment may begin or end in it.
    return "<|" + digits.replace("*", "*^").replace("/", "/^") + "|>"


def replacement(mutant, before):
    condition = f"isAlive({mutant['id']})"
    after = mutant["after"]
    if mutant["before"] in OPERATORS:
        return operator_name(mutant)
    if "MUTANT" in after:
        return after.replace("MUTANT", condition)
    return f"({condition} ? {after} : {before})"


def planted(text, mutants):
    """A file's text with its mutants, and the declarations of the operators that they need."""
    places = {}
    for mutant in mutants:
        places.setdefault(place(mutant, text), []).append(mutant)
    operators, last = [], len(text) + 1
    for (start, end), here in sorted(places.items(), reverse=True):
        if end > last:
            raise Problem(f"mutant {here[0]['id']} overlaps with another one in {here[0]['file']}")
        last = start
        new = text[start:end]
        if len(here) > 1 and (new in OPERATORS or any("MUTANT" in m["after"] for m in here)):
            raise Problem(f"mutants {[m['id'] for m in here]} stand at one place")
        for mutant in here:
            new = replacement(mutant, new)
            if mutant["before"] in OPERATORS:
                operators.append(mutant)
        text = text[:start] + new + text[end:]
    return text, operators


def declaration(mutant):
    before, after, name = mutant["before"], mutant["after"], operator_name(mutant)
    precedence, signature, call = OPERATORS[before]
    tries = "try " if call else ""
    return (f"infix operator {name}: {precedence}\n"
            f"func {name} {signature} {{\n"
            f"  isAlive({mutant['id']}) ? {tries}a {after} b{call} : {tries}a {before} b{call}\n}}\n")


def by_file(mutants):
    files = {}
    for mutant in mutants:
        files.setdefault(mutant["file"], []).append(mutant)
    return files


def plant_all(mutants, root=ROOT):
    """The text of every file that has mutants; complains about all places that are not there."""
    texts, operators, problems = {}, {}, []
    for file, here in sorted(by_file(mutants).items()):
        try:
            with open(os.path.join(root, file), encoding="utf-8") as source:
                text = source.read()
        except OSError as error:
            problems.append(f"mutant {here[0]['id']}: {file}: {error.strerror}")
            continue
        for mutant in here:
            try:
                place(mutant, text)
            except Problem as problem:
                problems.append(str(problem))
        if problems:
            continue
        try:
            texts[file], found = planted(text, here)
        except Problem as problem:
            problems.append(str(problem))
            continue
        operators.setdefault(file.split("/")[1], []).extend(found)
    if problems:
        raise Problem("\n".join(problems))
    return texts, operators


def plant(mutants, tree):
    """Brings a copy of the repository up to date; what has not changed keeps its time, so that builds are short."""
    texts, operators = plant_all(mutants)
    for target in {file.split("/")[1] for file in texts} | {"CivilTime", "conformance"}:
        declared = "".join(declaration(m) for m in sorted(operators.get(target, []), key=lambda m: m["id"]))
        texts[f"Sources/{target}/PlantedMutants.swift"] = SWITCH.lstrip() + ("\n" + declared if declared else "")
    texts["Sources/CivilTime/PlantedMemory.swift"] = MEMORY
    texts["Sources/conformance/PlantedSweep.swift"] = SWEEP.replace("MOST", str(MOST))
    runner = "Sources/conformance/RunCommand.swift"
    with open(os.path.join(ROOT, runner), encoding="utf-8") as source:
        texts[runner] = texts.get(runner, source.read()).replace("try CaseSuites.run(testCase)", "try swept(testCase)")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    files = {file for file in listed if file and os.path.exists(os.path.join(ROOT, file))} | set(texts)
    for extra in ["Package.resolved"]:
        if os.path.exists(os.path.join(ROOT, extra)):
            files.add(extra)
    for file in files:
        target = os.path.join(tree, file)
        if file in texts:
            new = texts[file].encode()
        elif os.path.islink(os.path.join(ROOT, file)):
            continue
        else:
            with open(os.path.join(ROOT, file), "rb") as source:
                new = source.read()
        try:
            with open(target, "rb") as old:
                if old.read() == new:
                    continue
        except OSError:
            os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as output:
            output.write(new)
        if file not in texts:
            os.chmod(target, os.stat(os.path.join(ROOT, file)).st_mode)
    for folder, names, found in os.walk(tree):
        names[:] = [name for name in names if name not in (".build", ".git", "out")]
        for name in found:
            path = os.path.relpath(os.path.join(folder, name), tree)
            if path not in files:
                os.remove(os.path.join(tree, path))
    if not os.path.exists(os.path.join(tree, ".git")):
        # Tests that ask git about the repository find one.
        subprocess.run(["git", "init", "-q"], cwd=tree, check=True)


TESTS = {"tollgate": "CommandTests",
         "Scenarios": "CorpusTests", "conformance": "CorpusTests", "SDKLive": "SDKTests",
         "SDKTesting": "DocumentationTests", "SDKHooks": "SDKTests"}
FAILED = re.compile(r"^. Test (?!run)(.*?) (?:recorded an issue .*?at ([\w+.]+\.swift)|failed after)")


class Worker:
    """Runs programs of the build, whose mutants read and write the numbers of this one."""

    def __init__(self, tree, number, limit):
        self.tree, self.limit = tree, limit
        self.path = os.path.join(OUT, f"numbers-{number}")
        with open(self.path, "wb") as file:
            file.write(b"\0" * 4 * NUMBERS)
        self.file = open(self.path, "r+b")
        self.numbers = memoryview(mmap.mmap(self.file.fileno(), 4 * NUMBERS)).cast("i")

    def start(self, command, environment):
        return subprocess.Popen(
            command, cwd=self.tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=dict(os.environ, TOLLGATE_MUTANTS=self.path, NO_COLOR="1", SWIFT_BACKTRACE="enable=no",
                     **environment), start_new_session=True)

    def program(self, name):
        return os.path.join(self.tree, ".build/debug", name)

    def suite(self, name, mutant):
        """Runs a suite of tests with a mutant alive, or none; what failed, or nothing."""
        self.numbers[0] = mutant
        process = self.start(
            [self.program("tollgatePackageTests.xctest"), "--skip-build", "--testing-library", "swift-testing",
             "--filter", "^" + re.escape(name) + "/"], {})
        hangs = []
        timer = threading.Timer(self.limit, lambda: (hangs.append(True), end(process)))
        timer.start()
        failure, last = None, ""
        for raw in process.stdout:
            line = raw.decode(errors="replace").rstrip()
            last = line or last
            match = FAILED.match(line)
            if match:
                failure = match.group(2) or match.group(1)
                end(process)
                break
        process.stdout.close()
        code = process.wait()
        timer.cancel()
        if hangs:
            return f"no end after {self.limit:.0f} s"
        if failure or code == 0:
            return failure
        return f"signal {-code}" if code < 0 else f"exit {code}: {last[:100]}"

    def corpus(self, mutant):
        """Runs all of the corpus with a mutant alive from the beginning: constants are made once in a process."""
        self.numbers[0] = mutant
        process = self.start([self.program("conformance"), "corpus", "--quiet"], {})
        timer = threading.Timer(4 * self.limit, lambda: end(process))
        timer.start()
        last = process.stdout.read().decode(errors="replace").strip().rsplit("\n", 1)[-1]
        code = process.wait()
        timer.cancel()
        return f"exit {code}: {last[:100]}" if code else None

    def sweep(self, file, mutants, caught):
        """Runs the cases of a file with mutants alive, and calls for each that one of them notices."""
        left = set(mutants)
        while left:
            self.numbers[0] = self.numbers[1] = 0
            process = self.start(["stdbuf", "-oL", self.program("conformance"), file],
                                 {"TOLLGATE_SWEEP": ",".join(map(str, sorted(left)))})
            done, hangs = threading.Event(), []

            def watch():
                before = None
                while not done.wait(self.limit):
                    now = tuple(self.numbers[1:3])
                    if now == before and now[0]:
                        hangs.append(now[0])
                        end(process)
                    before = now

            threading.Thread(target=watch, daemon=True).start()
            spoilt = ""
            for raw in process.stdout:
                words = raw.decode(errors="replace").split()
                if words[:1] == ["CAUGHT"]:
                    left.discard(int(words[1]))
                    caught(int(words[1]), " ".join(words[2:]))
                elif words[:1] == ["SPOILT"]:
                    spoilt = " ".join(words[1:])
            process.stdout.close()
            code = process.wait()
            done.set()
            trying = self.numbers[1]
            if trying and trying in left:
                left.discard(trying)
                caught(trying, f"{os.path.basename(file)}: " + ("no end" if hangs else f"ends with {code}"))
            elif not spoilt or not mutants - left:
                return
            mutants = set(left)


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass


def suites():
    """Every suite, as `Target.Suite`, with the folder of tests that it stands in."""
    found = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "Tests")):
        target, _, inner = os.path.relpath(folder, os.path.join(ROOT, "Tests")).partition("/")
        for name in sorted(names):
            if name.endswith(".swift") and target.endswith("Tests"):
                with open(os.path.join(folder, name), encoding="utf-8") as source:
                    for suite in re.findall(r"^ *(?:@Suite.*\s *)?(?:struct|final class|enum|actor) (\w+Tests)\b", source.read(), re.M):
                        found[f"{target}.{suite}"] = inner
    return found


def cover(worker, covered):
    """Sees which suites reach which mutants, and that they pass without any: kept, as it takes as long as the tests."""
    for name in suites():
        if name in covered:
            continue
        for i in range(HITS, NUMBERS):
            worker.numbers[i] = 0
        start = time.time()
        failure = worker.suite(name, 0)
        if failure:
            print(f"mutate: without a mutant, {name} fails: {failure}", file=sys.stderr)
            continue
        covered[name] = {"seconds": round(time.time() - start, 1),
                         "reaches": [i - HITS for i in range(HITS, NUMBERS) if worker.numbers[i]]}
        with open(os.path.join(OUT, "covered.json"), "w") as output:
            json.dump(covered, output)


def order(mutant, covered):
    """The suites that reach a mutant: what the file names, the folder that mirrors the source's, the quick ones."""
    parts = mutant["file"].split("/")
    target = TESTS.get(parts[1], parts[1] + "Tests")
    folder = "/".join(parts[2:-1])
    all = suites()

    def rank(name):
        own = name.split(".")[0] == target
        return (name != mutant.get("catcher"), not (own and all[name] == folder), not own, covered[name]["seconds"])

    return sorted((name for name in all if name in covered and mutant["id"] in covered[name]["reaches"]), key=rank)


def chosen(mutants, wanted):
    if not wanted:
        return mutants

    def is_wanted(mutant):
        for word in wanted:
            span = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
            if span and int(span.group(1)) <= mutant["id"] <= int(span.group(2) or span.group(1)):
                return True
            if not span and word in mutant["file"]:
                return True
        return False

    return [mutant for mutant in mutants if is_wanted(mutant)]


def digest(mutants):
    """Tells whether mutants are the same as in an earlier run."""
    return zlib.crc32(json.dumps([[m.get(key) for key in ("id", "file", "in", "before", "after")] for m in mutants]).encode())


def results_file(options):
    """Where the results of a list are stored: each list has its own."""
    list_path = os.path.abspath(options.mutants)
    own = "" if list_path == MUTANTS else f"-{zlib.crc32(list_path.encode()):08x}"
    return os.path.join(OUT, f"results{own}.jsonl")


def results(path):
    found = {}
    if os.path.exists(path):
        with open(path) as lines:
            for line in lines:
                result = json.loads(line)
                found[result["id"]] = result
    return found


def build(mutants, tree):
    """Plants and compiles: the only way to see that `before` and `after` have one type."""
    os.makedirs(tree, exist_ok=True)
    plant(mutants, tree)
    swift = os.environ.get("SWIFT", "swift")
    if subprocess.run(["nice", "-n", "10", swift, "build", "--build-tests"], cwd=tree).returncode:
        raise Problem("the copy with the mutants does not compile")


def run(options):
    mutants = read_mutants(options.mutants)
    tree, log = os.path.join(OUT, "tree"), results_file(options)
    if not options.skip_build:
        build(mutants, tree)
    if options.fresh and os.path.exists(log):
        os.remove(log)
    earlier = results(log)
    done = {m["id"] for m in mutants if earlier.get(m["id"], {}).get("of") == digest([m])}
    wanted = {m["id"]: m for m in chosen(mutants, options.which)
              if "equivalent" not in m and (options.again or m["id"] not in done)}
    lock, left = threading.Lock(), set(wanted)

    def say(number, caught):
        with lock:
            left.discard(number)
            with open(log, "a") as output:
                output.write(json.dumps({"id": number, "of": digest([wanted[number]]), "caught": caught}) + "\n")
            print(f"{number:4}  {caught or 'SURVIVED'}   {wanted[number]['file']}", flush=True)

    workers = [Worker(tree, number, options.time) for number in range(options.jobs)]
    files = [] if options.skip_corpus else corpus_files(tree)

    def sweep(worker):
        while True:
            with lock:
                if not files:
                    return
                file = files.pop(0)
                # Scripts of apps are slow, and about the SDK.
                open_ones = {number for number in left
                             if "sdk" not in file or re.match("Sources/(SDK|Scenarios)", wanted[number]["file"])}
            worker.sweep(file, open_ones, lambda number, what: number in left and say(number, "corpus: " + what))

    parallel(sweep, workers)
    covered = {"of": digest(mutants)}
    if os.path.exists(os.path.join(OUT, "covered.json")) and not options.cover:
        with open(os.path.join(OUT, "covered.json")) as known:
            earlier = json.load(known)
        if earlier.get("of") == covered["of"]:
            covered = earlier
    if left:
        cover(workers[0], covered)
    queue = [wanted[number] for number in sorted(left)]

    def test(worker):
        while True:
            with lock:
                if not queue:
                    return
                mutant = queue.pop(0)
            caught, reaching = None, order(mutant, covered)
            for name in reaching:
                failure = worker.suite(name, mutant["id"])
                if failure:
                    caught = f"{name}: {failure}"
                    break
            else:
                if not options.skip_corpus and (failure := worker.corpus(mutant["id"])):
                    caught = "corpus: " + failure
            say(mutant["id"], caught)

    parallel(test, workers)
    return table(options)


def corpus_files(tree):
    """The case files, the small ones first."""
    files = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(tree, "corpus"))
             for name in names if name.endswith(".jsonl")]
    files.sort(key=lambda file: ("sdk" in file, os.path.getsize(file)))
    return [os.path.relpath(file, tree) for file in files]


def parallel(work, workers):
    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def table(options):
    """What caught how many, and the survivors; exit code 1 when there are any."""
    mutants, done = read_mutants(options.mutants), results(results_file(options))
    counts, alive = {}, []
    for mutant in mutants:
        result = done.get(mutant["id"])
        if "equivalent" in mutant:
            word = "equivalent, argued in the file"
        elif not result:
            word = "not run"
        elif result["caught"]:
            word = "caught by " + re.split(r"[:/.\\\\]", result["caught"])[0]
        else:
            word = "survived"
            alive.append(mutant)
        counts[word] = counts.get(word, 0) + 1
    print(f"\n{len(mutants):5} mutants")
    for word, count in sorted(counts.items(), key=lambda entry: -entry[1]):
        print(f"{count:5} {word}")
    for mutant in alive:
        print(f"\nmutant {mutant['id']} survived in {mutant['file']}:\n  {mutant.get('in', mutant['before'])}\n"
              f"  {mutant['before']}  ->  {mutant['after']}")
    return 1 if alive else 0


# How often each kind of fault is suggested, of a hundred.
KINDS = {"operator": 30, "drop": 25, "condition": 16, "logic": 9, "constant": 9, "choice": 8, "word": 3}


def suggest(options):
    """Prints random places with a fault that could be there by mistake, and that no mutant has yet."""
    listed = read_mutants(MUTANTS)
    if os.path.abspath(options.mutants) != MUTANTS:
        listed += read_mutants(options.mutants)
    taken, pool = by_file(listed), {kind: [] for kind in KINDS}
    first = options.first or max((mutant["id"] for mutant in listed), default=0) + 1
    texts, spans = {}, {}
    for folder, _, names in os.walk(os.path.join(ROOT, "Sources")):
        for name in sorted(names):
            file = os.path.relpath(os.path.join(folder, name), ROOT)
            if name.endswith(".swift") and (not options.which or any(w in file for w in options.which)):
                with open(os.path.join(ROOT, file), encoding="utf-8") as source:
                    texts[file] = source.read()
                spans[file] = [place(mutant, texts[file]) for mutant in taken.get(file, [])]
                for kind, mutant in places(file, texts[file]):
                    pool[kind].append({"id": 0, **mutant})
    rng, in_file, kept = random.Random(options.seed), {}, []
    wanted = {kind: KINDS[kind] for kind in options.kinds.split(",")} if options.kinds else dict(KINDS)
    while len(kept) < options.count and (wanted := {kind: share for kind, share in wanted.items() if pool[kind]}):
        kind = rng.choices(list(wanted), list(wanted.values()))[0]
        mutant = pool[kind].pop(rng.randrange(len(pool[kind])))
        file = mutant["file"]
        start, end = place(mutant, texts[file])
        if in_file.get(file, 0) == options.each or any(start <= to and at <= end for at, to in spans[file]):
            continue
        in_file[file] = in_file.get(file, 0) + 1
        spans[file].append((start, end))
        kept.append(mutant)
    for number, mutant in enumerate(kept, first):
        print(json.dumps({**mutant, "id": number}, ensure_ascii=False))
    return 0


def main():
    parser = argparse.ArgumentParser(description="Plants faults and sees whether corpus and tests notice them.")
    lists = argparse.ArgumentParser(add_help=False)
    lists.add_argument("--mutants", default=MUTANTS, help="another file of mutants")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", parents=[lists], help="see that every place is still there")
    checking.add_argument("--build", action="store_true", help="also compile the copy with the mutants")
    planting = commands.add_parser("plant", parents=[lists], help="write the copy with the mutants, without building it")
    planting.add_argument("--into", default=os.path.join(OUT, "tree"))
    running = commands.add_parser("run", parents=[lists], help="plant, build, and try mutants: all, or those of numbers and paths")
    running.add_argument("which", nargs="*")
    running.add_argument("--jobs", type=int, default=2)
    running.add_argument("--time", type=float, default=300, help="seconds after which a suite counts as hanging")
    running.add_argument("--fresh", action="store_true", help="forget earlier results")
    running.add_argument("--again", action="store_true", help="try those that have a result again")
    running.add_argument("--skip-build", action="store_true")
    running.add_argument("--skip-corpus", action="store_true")
    running.add_argument("--cover", action="store_true", help="see anew which suites reach which mutants")
    commands.add_parser("table", parents=[lists], help="the results so far")
    suggesting = commands.add_parser("suggest", parents=[lists], help="random places with faults of all kinds")
    suggesting.add_argument("count", type=int)
    suggesting.add_argument("which", nargs="*")
    suggesting.add_argument("--seed", type=int, default=1)
    suggesting.add_argument("--each", type=int, default=1, help="places in one file")
    suggesting.add_argument("--kinds", metavar="KIND,...", help="only faults of these: " + ", ".join(KINDS))
    suggesting.add_argument("--first", type=int, help="the first id (default: after the last of the list)")
    options = parser.parse_args()
    # A shell ignores these for what it runs in the background, and tests of signals would inherit that.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    try:
        if options.command == "check":
            mutants = read_mutants(options.mutants)
            plant_all(mutants)
            if options.build:
                build(mutants, os.path.join(OUT, "tree"))
            return 0
        if options.command == "plant":
            plant(read_mutants(options.mutants), options.into)
            return 0
        return {"run": run, "table": table, "suggest": suggest}[options.command](options)
    except Problem as problem:
        print(f"mutate: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
