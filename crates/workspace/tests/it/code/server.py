"""A language server that does what the files say: as simple as one can be that is not good.

Files end with `.tst`. `class NAME` and, deeper, `def NAME` are symbols, `NAME(` is a call, `class NAME of OTHER`
implements OTHER. A line with `wrong` is an error, one with `odd` a
warning. To look at `boom` ends it, to look at `silence` is never answered, to look at `peek` says what is in `.env`, and
as long as there is a file `loading` in its folder it has read nothing. `settings` says what it was told of them, and
`library` is defined in a file of Python's own.
"""

import json
import os
import re
import sys
import threading
import time
import urllib.parse

documents, root, settings = {}, None, None
lock = threading.Lock()


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    with lock:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        sys.stdout.buffer.flush()


def path_of(uri):
    return urllib.parse.unquote(uri[len("file://"):])


def uri_of(path):
    return "file://" + urllib.parse.quote(path)


def text_of(uri):
    if uri in documents:
        return documents[uri]
    with open(path_of(uri), encoding="utf-8") as file:
        return file.read()


def all_files():
    known = set(documents)
    for folder, _, names in os.walk(root):
        known |= {uri_of(os.path.join(folder, name)) for name in names if name.endswith(".tst")}
    return sorted(known)


def place(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def symbols(uri):
    found, lines = [], text_of(uri).split("\n")
    for number, line in enumerate(lines):
        match = re.match(r"( *)(class|def) (\w+)", line)
        if not match:
            continue
        name = place(number, match.start(3), match.end(3))
        last = number
        while last + 1 < len(lines) and lines[last + 1].startswith(match[1] + " "):
            last += 1
        whole = {"start": {"line": number, "character": 0}, "end": {"line": last, "character": len(lines[last])}}
        symbol = {
            "name": match[3], "kind": 5 if match[2] == "class" else 6, "range": whole, "selectionRange": name,
            "children": [],
        }
        (found[-1]["children"] if match[1] and found else found).append(symbol)
    return found


def word_at(params):
    line = text_of(params["textDocument"]["uri"]).split("\n")[params["position"]["line"]]
    for match in re.finditer(r"\w+", line):
        if match.start() <= params["position"]["character"] <= match.end():
            return match[0]
    return ""


def uses(word):
    for uri in all_files():
        for number, line in enumerate(text_of(uri).split("\n")):
            for match in re.finditer(r"\b%s\b" % re.escape(word), line):
                is_definition = bool(re.match(r" *(class|def) %s\b" % re.escape(word), line))
                yield {"uri": uri, "range": place(number, match.start(), match.end())}, is_definition


def line_of(location):
    return text_of(location["uri"]).split("\n")[location["range"]["start"]["line"]]


def is_call(location):
    return line_of(location)[location["range"]["end"]["character"]:].startswith("(")


def implementations(word):
    """Classes that are `of` another."""
    return [location for location, is_definition in uses(word)
            if not is_definition and re.match(r"class \w+ of %s\b" % re.escape(word), line_of(location))]


def problems(uri):
    found = []
    for number, line in enumerate(text_of(uri).split("\n")):
        for word, severity in (("wrong", 1), ("odd", 2)):
            at = line.find(word)
            if at >= 0:
                said = {"range": place(number, at, at + len(word)), "severity": severity, "code": "T%d" % severity}
                found.append({**said, "source": "tester", "message": "this is " + word})
    return found


def all_symbols(query):
    for uri in all_files():
        for outer in symbols(uri):
            for symbol, container in [(outer, "")] + [(child, outer["name"]) for child in outer["children"]]:
                if query.lower() in symbol["name"].lower():
                    location = {"uri": uri, "range": symbol["selectionRange"]}
                    yield {"name": symbol["name"], "kind": symbol["kind"], "location": location, "containerName": container}


def answer(method, params):
    if method == "initialize":
        global root
        root = path_of(params["rootUri"])
        can = ["documentSymbol", "definition", "references", "hover", "workspaceSymbol", "rename", "documentFormatting",
               "documentRangeFormatting",
               "implementation", "callHierarchy"]
        able = {name + "Provider": True for name in can}
        able.update({
            "textDocumentSync": {"openClose": True, "change": 1, "save": True},
            "diagnosticProvider": {"interFileDependencies": True},
            "codeActionProvider": True, "executeCommandProvider": {"commands": ["mend", "tell"]},
            "completionProvider": {"resolveProvider": True, "triggerCharacters": ["."]},
        })
        return {"capabilities": able}
    if os.path.exists(os.path.join(root, "loading")):
        known = os.path.exists(os.path.join(root, "half"))
        if method == "textDocument/hover" and known:
            return {"contents": "half of it"}
        return None if method == "textDocument/hover" else []
    if method == "textDocument/documentSymbol":
        return symbols(params["textDocument"]["uri"])
    if method == "workspace/symbol":
        return list(all_symbols(params["query"]))
    if method == "textDocument/diagnostic":
        return {"kind": "full", "items": problems(params["textDocument"]["uri"])}
    if method == "textDocument/completion":
        names = [symbol["name"] for symbol in symbols(params["textDocument"]["uri"])]
        return [{"label": name, "data": {"uri": params["textDocument"]["uri"], "pid": os.getpid()}} for name in names]
    if method == "completionItem/resolve":
        is_ours = params["data"]["pid"] == os.getpid()
        return {**params, "detail": "mine" if is_ours else "of another process"}
    if method == "textDocument/definition" and word_at(params) == "library":
        return [{"uri": uri_of(os.__file__), "range": place(0, 0, 0)}]
    if method == "textDocument/definition":
        return [location for location, is_definition in uses(word_at(params)) if is_definition]
    if method == "textDocument/references":
        also = params["context"]["includeDeclaration"]
        return [location for location, is_definition in uses(word_at(params)) if also or not is_definition]
    if method == "textDocument/implementation":
        return implementations(word_at(params))
    if method == "textDocument/prepareCallHierarchy":
        word = word_at(params)
        return [{"name": word, "kind": 6, **location, "selectionRange": location["range"], "data": word}
                for location, is_definition in uses(word) if is_definition]
    if method == "callHierarchy/incomingCalls":
        return [{"from": {"name": "?", "kind": 6, **location, "selectionRange": location["range"]},
                 "fromRanges": [location["range"]]}
                for location, _ in uses(params["item"]["data"]) if is_call(location)]
    if method == "textDocument/hover":
        word = word_at(params)
        if word == "boom":
            print("it was too much", file=sys.stderr, flush=True)
            os._exit(3)
        if word == "peek":
            try:
                with open(os.path.join(root, ".env"), encoding="utf-8") as file:
                    return {"contents": "read backwards: " + file.read()[::-1]}
            except OSError as error:
                return {"contents": "not read: " + error.strerror}
        if word == "settings":
            return {"contents": json.dumps(settings)}
        if word == "silence":
            return Ellipsis
        return {"contents": {"kind": "markdown", "value": "**%s** of %d files" % (word, len(all_files()))}}
    if method == "textDocument/rename":
        changes = {}
        for location, _ in uses(word_at(params)):
            changes.setdefault(location["uri"], []).append({"range": location["range"], "newText": params["newName"]})
        return {"changes": changes}
    if method in ("textDocument/formatting", "textDocument/rangeFormatting"):
        edits, lines = [], text_of(params["textDocument"]["uri"]).split("\n")
        whole = {"start": {"line": 0}, "end": {"line": len(lines)}}
        some = params.get("range", whole)
        for number, line in enumerate(lines):
            if line != line.rstrip() and some["start"]["line"] <= number <= some["end"]["line"]:
                edits.append({"range": place(number, len(line.rstrip()), len(line)), "newText": ""})
        return edits
    if method == "textDocument/codeAction":
        uri, actions = params["textDocument"]["uri"], []
        for problem in problems(uri):
            if problem["range"]["start"]["line"] == params["range"]["start"]["line"]:
                edit = {"changes": {uri: [{"range": problem["range"], "newText": "right"}]}}
                told = params["context"]["diagnostics"]
                actions.append({"title": "Make it right", "kind": "quickfix", "diagnostics": told, "edit": edit})
                command = {"title": "Mend", "command": "mend", "arguments": [uri, problem["range"]]}
                actions.append({"title": "Mend by command", "kind": "quickfix", "command": command})
        return actions
    if method == "workspace/executeCommand" and params["command"] == "tell":
        send({"method": "window/showMessage", "params": {"type": 2, "message": "be careful"}})
        send({"id": "tell", "method": "workspace/codeLens/refresh"})
        return None
    if method == "workspace/executeCommand":
        uri, where = params["arguments"]
        edit = {"changes": {uri: [{"range": where, "newText": "mended"}]}}
        send({"id": "edit", "method": "workspace/applyEdit", "params": {"edit": edit}})
        return None
    return None


def wait_until_loaded():
    while os.path.exists(os.path.join(root, "loading")):
        time.sleep(0.01)
    send({"method": "experimental/serverStatus", "params": {"quiescent": True, "health": "ok"}})


def hear(message):
    global settings
    method, params = message.get("method"), message.get("params") or {}
    if method == "exit":
        sys.exit(0)
    if method == "initialized":
        threading.Thread(target=wait_until_loaded, daemon=True).start()
    if method == "workspace/didChangeConfiguration":
        settings = params["settings"]
    if method == "textDocument/didOpen":
        documents[params["textDocument"]["uri"]] = params["textDocument"]["text"]
    if method == "textDocument/didChange":
        documents[params["textDocument"]["uri"]] = params["contentChanges"][-1]["text"]
    if method == "textDocument/didClose":
        documents.pop(params["textDocument"]["uri"], None)
    if "id" in message and method:
        result = answer(method, params)
        if result is not Ellipsis:
            send({"id": message["id"], "result": result})


def main():
    stream = sys.stdin.buffer
    while True:
        length = None
        while True:
            line = stream.readline()
            if not line:
                return
            if not line.strip():
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        hear(json.loads(stream.read(length)))


if __name__ == "__main__":
    main()
