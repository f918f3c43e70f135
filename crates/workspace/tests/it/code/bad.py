"""The server of `server.py`, bad in the ways that the options of its beginning say.

`slow`: seconds before each message. `crash`: methods at which it ends. `silent`: methods that it never answers.
`push`: "versioned" or "unversioned", says what is wrong by itself, about the text before first. `late`: registers only
after a while that it can be asked, and says before that all is well. `flood`: so many messages, files and questions at
each opening. `wide`: so many bytes in what it says of a symbol. `long`: so many uses of anything. `too_large`: outlines
are more than anybody reads. `wrong_ids`: answers what nobody asked, too. `folders`: works on several.
"""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import server as good  # noqa: E402

how, versions, heard = {}, {}, {"answers": 0}
hear_well, answer_well = good.hear, good.answer


def answer(method, params):
    if method == "initialize":
        how.update(params.get("initializationOptions") or {})
    if method == "textDocument/hover" and "wide" in how:
        return {"contents": "x" * how["wide"]}
    if method == "textDocument/references" and "long" in how:
        uri = params["textDocument"]["uri"]
        return [{"uri": uri, "range": good.place(number, 0, 1)} for number in range(how["long"])]
    if method == "textDocument/documentSymbol" and how.get("too_large"):
        with good.lock:
            sys.stdout.buffer.write(b"Content-Length: 70000000\r\n\r\n" + b" " * 70000000)
            sys.stdout.buffer.flush()
        return Ellipsis
    result = answer_well(method, params)
    if method == "initialize":
        able = result["capabilities"]
        if "push" in how or how.get("late"):
            del able["diagnosticProvider"]
        if how.get("folders"):
            able["workspace"] = {"workspaceFolders": {"supported": True, "changeNotifications": True}}
    return result


def publish(uri, items, version):
    params = {"uri": uri, "diagnostics": items}
    if how.get("push") == "versioned":
        params["version"] = version
    good.send({"method": "textDocument/publishDiagnostics", "params": params})


def push(uri, before):
    """First what was wrong before, as if it was about this text; then what is wrong."""
    version = versions[uri]
    time.sleep(0.02)
    publish(uri, before, version - 1)
    time.sleep(0.2)
    if versions.get(uri) == version:
        publish(uri, good.problems(uri), version)


def register(uri):
    publish(uri, [], None)
    time.sleep(0.2)
    options = {"interFileDependencies": False}
    registration = {"id": "late", "method": "textDocument/diagnostic", "registerOptions": options}
    good.send({"id": "late", "method": "client/registerCapability", "params": {"registrations": [registration]}})


def flood(uri):
    for number in range(how["flood"]):
        good.send({"method": "window/logMessage", "params": {"type": 4, "message": "busy"}})
        items = [{"range": good.place(at, 0, 1), "message": "flood"} for at in range(10)]
        publish("%s.%d" % (uri, number), items, None)
        good.send({"id": "q%d" % number, "method": "workspace/configuration", "params": {"items": [{"section": "x"}]}})


def in_background(work, *arguments):
    threading.Thread(target=work, args=arguments, daemon=True).start()


def hear(message):
    method, params = message.get("method"), message.get("params") or {}
    time.sleep(how.get("slow", 0))
    if method in how.get("crash", []):
        os._exit(9)
    if method in how.get("silent", []):
        with open(os.path.join(good.root, "asked"), "a", encoding="utf-8") as file:
            file.write(method + "\n")
        return
    if method is None:
        heard["answers"] += 1
        if heard["answers"] == how.get("flood"):
            open(os.path.join(good.root, "answered"), "w", encoding="utf-8").close()
        return
    uri = params.get("textDocument", {}).get("uri") if isinstance(params, dict) else None
    before = good.problems(uri) if method == "textDocument/didChange" else []
    if "id" in message and how.get("wrong_ids"):
        for number in (message["id"] + 1000, "x", None, -1, 1.5):
            good.send({"id": number, "result": [{"name": "nobody asked"}]})
        good.send({"result": {}})
        good.send({"id": message["id"], "method": "no/such", "params": {}})
    hear_well(message)
    if method in ("textDocument/didOpen", "textDocument/didChange"):
        versions[uri] = params["textDocument"]["version"]
        if "push" in how:
            in_background(push, uri, before)
        if how.get("late") and method == "textDocument/didOpen":
            in_background(register, uri)
        if "flood" in how:
            in_background(flood, uri)


good.answer, good.hear = answer, hear
good.main()
