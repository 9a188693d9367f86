"""Tells certifications from customers by their requests, cross-validated by session: classify.py FILE.

A line of the file is a session: {"tested": 0 or 1, "requests": [...]}.
"""
import json, math, re, statistics, sys, unicodedata
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedGroupKFold

first = 20


def rows(requests):
    """Features of each request, with the requests before it: transport ("t "), content ("c ")."""
    own = [describe(one) for one in requests]
    for index, one in enumerate(requests):
        before = range(max(0, index - first), index)
        kept = [at for at in before if requests[at]["connection"] == one["connection"]]
        kinds = lambda of: len({of(at) for at in [*before, index]})
        yield {
            **{name: value for name, value in own[index].items() if name != "key"},
            "t earlier requests on the connection": len(kept),
            "t connections": kinds(lambda at: requests[at]["connection"]),
            "t clients": kinds(lambda at: own[at]["t client"]),
            "t keys": kinds(lambda at: own[at]["key"]),
            "t requests in flight": sum(requests[at]["endedAt"] > one["at"] for at in before),
            "t pause since the last request": pause(one["at"] - requests[index - 1]["at"]) if index else 0,
            "t pause on the connection": pause(one["at"] - requests[kept[-1]]["endedAt"]) if kept else -2,
            "c routes": kinds(lambda at: own[at]["c route"]),
            "c scripts": kinds(lambda at: own[at]["c script"]),
            "c errors": sum(requests[at]["status"] >= 400 for at in before),
        }


def pause(milliseconds):
    return math.log10(max(0.1, milliseconds))


def describe(one):
    names, body = one["head"][::2], one["body"]
    head = {name.lower(): value for name, value in zip(names, one["head"][1::2])}
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    text = "\n".join(texts(parsed))
    letters = [unicodedata.name(letter, "none").split()[0] for letter in text if letter.isalpha()]
    count = max(1, len(text))
    row = {
        "key": head.get("authorization"),
        "t client": head.get("user-agent", "none"),
        "t header fields": " ".join(names),
        "t version of HTTP": one["version"],
        "t blank after a colon": float('": ' in body),
        "t escaped letters": float("\\u" in body),
        "c route": one["method"] + " " + re.sub(r"[0-9a-f-]{36}|(?<=models/).*", "ID", one["path"].split("?")[0]),
        "c query": "?" + " ".join(re.findall(r"[?&](\w+)", one["path"])),
        "c status": str(one["status"]),
        "c script": statistics.mode(letters) if letters else "none",
        "c bytes": math.log2(1 + len(body)),
        "c characters": math.log2(count),
        "c words": math.log2(1 + len(text.split())),
        "c share of digits": sum(map(str.isdigit, text)) / count,
        "c share of capitals": sum(map(str.isupper, text)) / count,
        "c share beyond ASCII": sum(letter > "~" for letter in text) / count,
        "c share of punctuation": len(re.findall(r"[^\w\s]", text)) / count,
        "c lines": text.count("\n"),
        "c question": float("?" in text or "？" in text),
    }
    if not isinstance(parsed, dict):
        return row
    numbers = {f"c {name}": float(value) for name, value in parsed.items() if type(value) in (int, float)}
    messages = {"c messages": len(parsed["messages"])} if isinstance(parsed.get("messages"), list) else {}
    return row | numbers | messages | {f"c has {name}": 1.0 for name in parsed}


def texts(value, name=""):
    """Texts of a body that a user wrote."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from texts(member, key) if value.get("role") != "assistant" else ()
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, name)
    elif isinstance(value, str) and name in ("content", "text", "input", "name"):
        yield value


def score(table, labels, groups):
    """Balanced accuracy in per cent of predictions for sessions that the forest was not trained on, and its 95 % interval."""
    shares = np.zeros(len(labels))
    count = min(5, *(len(set(groups[labels == side])) for side in (0, 1)))
    for seed in range(2):
        folds = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
        for train, test in folds.split(table, labels, groups):
            shares[test] += forest(seed).fit(table[train], labels[train]).predict_proba(table[test])[:, 1]
    right = (shares > 1) == labels
    by_group = [[right[(groups == group)], labels[groups == group][0]] for group in np.unique(groups)]
    draw = np.random.default_rng(1)
    def balanced(sessions):
        sides = [[r for r, label in sessions if label == side] for side in (0, 1)]
        return 50 * sum(np.concatenate(side).mean() for side in sides)
    samples = []
    for _ in range(1000):
        drawn = [by_group[at] for at in draw.integers(len(by_group), size=len(by_group))]
        if len({label for _, label in drawn}) == 2:
            samples.append(balanced(drawn))
    return balanced(by_group), *np.percentile(samples, [2.5, 97.5])


def forest(seed):
    return RandomForestClassifier(100, min_samples_leaf=2, class_weight="balanced", random_state=seed)


def report(name, table, names, labels, groups):
    for about, kinds in (("transport and content", "tc"), ("transport", "t")):
        columns = [at for at, column in enumerate(names) if column[0] in kinds]
        part = table[:, columns]
        value, low, high = score(part, labels, groups)
        print(f"{name}, {about}: {value:.0f} % [{low:.0f}, {high:.0f}]")
        weights = forest(0).fit(part, labels).feature_importances_
        for at in np.argsort(-weights)[:8]:
            means = [part[labels == side, at].mean() for side in (0, 1)]
            print(f"    {100 * weights[at]:3.0f} %  {names[columns[at]][2:]}: {means[0]:.2f} of customers, {means[1]:.2f} of certifications")


sessions = [json.loads(line) for line in open(sys.argv[1], encoding="utf8")]
features = [list(rows(session["requests"])) for session in sessions]
vectorizer = DictVectorizer(sparse=False).fit([row for session in features for row in session])
names = vectorizer.get_feature_names_out()
tables = [vectorizer.transform(session) for session in features]
labels = np.array([session["tested"] for session in sessions])
print(f"{(labels == 0).sum()} customers, {(labels == 1).sum()} certifications, {sum(map(len, tables))} requests")
draw = np.random.default_rng(0)
# Requests of certifications come from whole rounds, as few of a round are at its beginning.
whole = [at for at, table in enumerate(tables) if labels[at] == 0 or len(table) > 1000]
sampled = [draw.permutation(tables[at][first:])[: 60 if labels[at] == 0 else 800] for at in whole]
counts = [len(table) for table in sampled]
report("a request", np.concatenate(sampled), names, np.repeat(labels[whole], counts), np.repeat(whole, counts))
begins = np.array([np.concatenate([table[:first].mean(0), table[:first].std(0)]) for table in tables])
both = np.concatenate([names, [f"{name} (deviation)" for name in names]])
report(f"the first {first} requests", begins, both, labels, np.arange(len(sessions)))
