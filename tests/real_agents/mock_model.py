"""A model service that answers every question with MESSAGE.

    mock_model.py LOG MESSAGE

Speaks as much of four interfaces as coding agents use: Anthropic messages, OpenAI responses, OpenAI chat completions and
Gemini content generation. The first part of a path says how to behave, the rest is the interface's own path:

    /answer/v1/messages          the message
    /refuse/v1/messages          401, a wrong key
    /silent/v1/messages          an answer without any text

Binds to a free port of 127.0.0.1, prints the port on one line of standard output, appends one JSON object to LOG for each
request, and ends when its standard input is closed, so that it never outlives the test that started it.
"""

import gzip
import json
import os
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = 16

LOCK = threading.Lock()


def text_of(content):
    """The text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content or [] if isinstance(part, dict))


def pieces(text):
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


class Anthropic:
    name = "anthropic"

    @staticmethod
    def summary(request):
        return {
            "tools": [tool.get("name") for tool in request.get("tools") or []],
            "system": text_of(request.get("system")),
            "users": [text_of(m.get("content")) for m in request.get("messages") or [] if m.get("role") == "user"],
        }

    @staticmethod
    def refusal():
        return {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}

    @staticmethod
    def whole(request, text):
        content = [{"type": "text", "text": text}] if text else []
        usage = {"input_tokens": 10, "output_tokens": 5}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request.get("model"),
            "content": content,
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }

    @classmethod
    def stream(cls, request, text):
        start = dict(cls.whole(request, ""), stop_reason=None)
        events = [{"type": "message_start", "message": start}]
        if text:
            events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
            for piece in pieces(text):
                delta = {"type": "text_delta", "text": piece}
                events.append({"type": "content_block_delta", "index": 0, "delta": delta})
            events.append({"type": "content_block_stop", "index": 0})
        stop = {"stop_reason": "end_turn", "stop_sequence": None}
        events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}})
        events.append({"type": "message_stop"})
        return [(event["type"], event) for event in events]


class Responses:
    name = "responses"

    @staticmethod
    def summary(request):
        items = [item for item in request.get("input") or [] if isinstance(item, dict)]
        developer = [text_of(item.get("content")) for item in items if item.get("role") == "developer"]
        tools = list(request.get("tools") or [])
        for item in items:
            if item.get("type") == "additional_tools":
                tools += [tool for group in item.get("tools") or [] for tool in group.get("tools") or [group]]
        return {
            "tools": [tool.get("name") or tool.get("type") for tool in tools],
            "system": (request.get("instructions") or "") + "".join(developer),
            "users": [text_of(item.get("content")) for item in items if item.get("role") == "user"],
        }

    @staticmethod
    def refusal():
        return {"error": {"message": "Incorrect API key provided", "type": "invalid_request_error", "code": "invalid_api_key"}}

    @staticmethod
    def whole(request, text):
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "model": request.get("model"),
            "output": [item] if text else [],
            "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
        }

    @classmethod
    def stream(cls, request, text):
        done = cls.whole(request, text)
        events = [{"type": "response.created", "response": dict(done, status="in_progress", output=[], usage=None)}]
        if text:
            item = done["output"][0]
            where = {"output_index": 0, "item_id": item["id"], "content_index": 0}
            opened = dict(item, status="in_progress", content=[])
            events.append({"type": "response.output_item.added", "output_index": 0, "item": opened})
            for piece in pieces(text):
                events.append(dict(where, type="response.output_text.delta", delta=piece))
            events.append(dict(where, type="response.output_text.done", text=text))
            events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
        events.append({"type": "response.completed", "response": done})
        return [(event["type"], dict(event, sequence_number=number)) for number, event in enumerate(events)]


class Chat:
    name = "chat"

    @staticmethod
    def summary(request):
        messages = request.get("messages") or []
        return {
            "tools": [tool.get("function", {}).get("name") for tool in request.get("tools") or []],
            "system": "".join(text_of(m.get("content")) for m in messages if m.get("role") in ("system", "developer")),
            "users": [text_of(m.get("content")) for m in messages if m.get("role") == "user"],
        }

    refusal = Responses.refusal

    @staticmethod
    def frame(request, kind, choice, usage):
        choices = [dict(choice, index=0)] if choice else []
        frame = {"id": "chat_1", "object": kind, "created": 1, "model": request.get("model"), "choices": choices}
        return dict(frame, usage={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}) if usage else frame

    @classmethod
    def whole(cls, request, text):
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return cls.frame(request, "chat.completion", choice, True)

    @classmethod
    def stream(cls, request, text):
        deltas = [{"role": "assistant", "content": ""}] + [{"content": piece} for piece in pieces(text)]
        choices = [{"delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"delta": {}, "finish_reason": "stop"})
        frames = [cls.frame(request, "chat.completion.chunk", choice, False) for choice in choices]
        frames.append(cls.frame(request, "chat.completion.chunk", None, True))
        return [(None, frame) for frame in frames] + [(None, "[DONE]")]


class Gemini:
    name = "gemini"

    @staticmethod
    def summary(request):
        declared = [d for tool in request.get("tools") or [] for d in tool.get("functionDeclarations") or []]
        system = request.get("systemInstruction") or {}
        return {
            "tools": [declaration.get("name") for declaration in declared],
            "system": text_of(system.get("parts") if isinstance(system, dict) else system),
            "users": [text_of(c.get("parts")) for c in request.get("contents") or [] if c.get("role") == "user"],
        }

    @staticmethod
    def refusal():
        return {"error": {"code": 401, "message": "API key not valid", "status": "UNAUTHENTICATED"}}

    @staticmethod
    def whole(_request, text, finish="STOP"):
        candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}}
        if finish:
            candidate["finishReason"] = finish
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "mock-model", "responseId": "1"}

    @classmethod
    def stream(cls, request, text):
        parts = pieces(text) or [""]
        ends = [None] * (len(parts) - 1) + ["STOP"]
        return [(None, cls.whole(request, part, end)) for part, end in zip(parts, ends)]


def interface(path):
    """Which interface a path belongs to; None for what is no model request."""
    if path.endswith("/messages"):
        return Anthropic
    if path.endswith("/responses"):
        return Responses
    if path.endswith("/chat/completions"):
        return Chat
    if path.endswith("enerateContent"):
        return Gemini
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Nothing on standard error: the log says all."""

    def do_HEAD(self):
        self.send_json(200, {})

    def do_GET(self):
        models = [{"id": name, "object": "model", "type": "model"} for name in ("mock-model", "mock-small")]
        self.send_json(200, {"object": "list", "data": models, "models": [], "has_more": False})

    def do_POST(self):
        path = self.path.split("?", 1)[0]
        scenario = path.split("/")[1] if path.count("/") > 1 else ""
        raw = self.read_body()
        kind = interface(path)
        if kind is None:
            self.send_json(404, {"error": {"message": "no such path " + path}})
            return
        request = json.loads(raw or b"{}")
        self.record(dict(kind.summary(request), api=kind.name, path=path, model=request.get("model"), body=raw.decode()))
        if scenario == "refuse":
            self.send_json(401, kind.refusal())
            return
        text = "" if scenario == "silent" else sys.argv[2]
        if request.get("stream") or "streamGenerateContent" in path:
            self.send_events(kind.stream(request, text))
        else:
            self.send_json(200, kind.whole(request, text))

    def read_body(self):
        length = self.headers.get("content-length")
        if length is not None:
            body = self.rfile.read(int(length))
        else:
            body = b"".join(iter(self.read_chunk, b""))
        encoding = self.headers.get("content-encoding", "")
        if encoding == "gzip":
            return gzip.decompress(body)
        return zlib.decompress(body) if encoding == "deflate" else body

    def read_chunk(self):
        length = int(self.rfile.readline().split(b";")[0] or b"0", 16)
        data = self.rfile.read(length)
        self.rfile.readline()
        return data

    def record(self, entry):
        with LOCK, open(sys.argv[1], "a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")

    def send_json(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_events(self, events):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, value in events:
            data = value if isinstance(value, str) else json.dumps(value)
            event = (f"event: {name}\n" if name else "") + f"data: {data}\n\n"
            chunk = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")


def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=end_with_parent, daemon=True).start()
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
