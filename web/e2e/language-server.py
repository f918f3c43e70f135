"""A language server for tests of the page: what no real one of the tests can do, and what goes wrong.

Files end with `.ini`. A line `class NAME < PARENT` is a symbol, `see NAME` a link to a file of that name, `#rrggbb` a
colour, `<name> … </name>` a pair, `outside` is defined in a file outside the workspace. Over each class stands how often it
is named; a click on that numbers the lines. To look at `boom` ends it.
"""

import json
import os
import re
import sys
import urllib.parse

documents, root, asked = {}, None, 0
CLASS = re.compile(r"class (\w+)(?: < (\w+))?")


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def read():
    length = 0
    while (line := sys.stdin.buffer.readline().strip()) != b"":
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if length == 0:
        sys.exit(0)
    return json.loads(sys.stdin.buffer.read(length))


def span(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def found(uri, pattern):
    for number, line in enumerate(documents[uri].split("\n")):
        for match in re.finditer(pattern, line):
            yield number, match


def word(uri, position):
    line = documents[uri].split("\n")[position["line"]]
    for match in re.finditer(r"\w+", line):
        if match.start() <= position["character"] <= match.end():
            return match.group()
    return ""


def item(uri, number, match):
    place = span(number, match.start(1), match.end(1))
    return {"name": match.group(1), "kind": 5, "uri": uri, "range": place, "selectionRange": place, "data": {"secret": 7}}


def lens(uri, number, match):
    return {"range": span(number, match.start(), match.end()), "data": {"uri": uri, "name": match.group(1)}}


def edit(uri):
    lines = documents[uri].rstrip("\n").split("\n")
    edits = [{"range": span(number, 0, 0), "newText": f"{number + 1} "} for number in range(len(lines))]
    send({"id": "edit", "method": "workspace/applyEdit", "params": {"label": "Number", "edit": {"changes": {uri: edits}}}})
    while "method" in (answer := read()) or answer.get("id") != "edit":
        take(answer)


def answer(method, params):
    uri = params.get("textDocument", {}).get("uri")
    if method == "initialize":
        return {
            "capabilities": {
                "textDocumentSync": 1, "hoverProvider": True, "definitionProvider": True, "colorProvider": True,
                "documentLinkProvider": {"resolveProvider": True}, "codeLensProvider": {"resolveProvider": True},
                "linkedEditingRangeProvider": True, "typeHierarchyProvider": True,
                "executeCommandProvider": {"commands": ["number"]}, "codeActionProvider": {"resolveProvider": True},
            }
        }
    if method == "textDocument/hover":
        if word(uri, params["position"]) == "boom":
            os._exit(3)
        return {"contents": {"kind": "plaintext", "value": f"*{word(uri, params['position'])}*"}}
    if method == "textDocument/definition":
        return {"uri": "file://" + os.environ.get("OUTSIDE", "/usr/include/stdio.h"), "range": span(0, 0, 1)}
    if method == "textDocument/documentLink":
        return [{"range": span(n, m.start(1), m.end(1)), "data": m.group(1)} for n, m in found(uri, r"see (\S+)")]
    if method == "documentLink/resolve":
        return {**params, "target": f"{root}/{urllib.parse.quote(params['data'])}"}
    if method == "textDocument/documentColor":
        colour = lambda m: {name: int(m.group(1)[at : at + 2], 16) / 255 for name, at in (("red", 0), ("green", 2), ("blue", 4))}
        return [{"range": span(n, m.start(), m.end()), "color": {**colour(m), "alpha": 1}} for n, m in found(uri, r"#([0-9a-f]{6})")]
    if method == "textDocument/colorPresentation":
        return [{"label": "#%02x%02x%02x" % tuple(round(params["color"][c] * 255) for c in ("red", "green", "blue"))}]
    if method == "textDocument/linkedEditingRange":
        for number, match in found(uri, r"<(\w+)>.*</(\w+)>"):
            if number == params["position"]["line"]:
                return {"ranges": [span(number, *match.span(1)), span(number, *match.span(2))]}
        return None
    if method == "textDocument/codeLens":
        return [lens(uri, number, match) for number, match in found(uri, CLASS)]
    if method == "codeLens/resolve":
        at, name = params["data"]["uri"], params["data"]["name"]
        count = sum(1 for _ in found(at, rf"\b{name}\b"))
        return {**params, "command": {"title": f"named {count} times", "command": "number", "arguments": [at]}}
    if method == "workspace/executeCommand":
        edit(params["arguments"][0])
        return None
    if method == "textDocument/prepareTypeHierarchy":
        name = word(uri, params["position"])
        return [item(uri, n, m) for n, m in found(uri, CLASS) if m.group(1) == name]
    if method in ("typeHierarchy/supertypes", "typeHierarchy/subtypes"):
        one = params["item"]
        assert one["data"] == {"secret": 7}
        own = next(m for _, m in found(one["uri"], CLASS) if m.group(1) == one["name"])
        isUp = method.endswith("supertypes")
        fits = lambda m: m.group(1) == own.group(2) if isUp else m.group(2) == one["name"]
        return [item(one["uri"], n, m) for n, m in found(one["uri"], CLASS) if fits(m)]
    if method == "textDocument/codeAction":
        return [{"title": "Add a line", "kind": "refactor", "data": uri}]
    if method == "codeAction/resolve":
        new = [{"range": span(0, 0, 0), "newText": "# added\n"}]
        return {**params, "edit": {"documentChanges": [{"textDocument": {"uri": params["data"], "version": None}, "edits": new}]}}
    return None


def take(message):
    global root
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        root = params["rootUri"]
    if method == "textDocument/didOpen":
        documents[params["textDocument"]["uri"]] = params["textDocument"]["text"]
    elif method == "textDocument/didChange":
        documents[params["textDocument"]["uri"]] = params["contentChanges"][-1]["text"]
    elif method == "exit":
        sys.exit(0)
    elif "id" in message and method:
        send({"id": message["id"], "result": answer(method, params)})


while True:
    take(read())
