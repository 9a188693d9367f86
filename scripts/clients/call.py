"""A client as a program: call.py CLIENT URL KEY. Reads a call a line and writes the text of its response as JSON, its version last."""
import asyncio, importlib, json, sys

name, url, key = sys.argv[1:4]
library = importlib.import_module(name.removeprefix("python-").removesuffix("-python"))


def headers(call):
    auth = {"Authorization": "Bearer " + key}
    return {**auth, "Idempotency-Key": call["key"]} if "key" in call else auth


if name == "openai-python":
    client = library.OpenAI(api_key=key, base_url=url + "/api/openai", max_retries=0)

    def send(call):
        if "body" not in call:
            return client.models.list().to_json()
        answer = client.chat.completions.create(**call["body"])
        return "".join(part.to_json() for part in answer) if call["body"].get("stream") else answer.to_json()

elif name == "aiohttp":
    loop = asyncio.new_event_loop()

    async def open_session():
        return library.ClientSession()

    session = loop.run_until_complete(open_session())

    async def request(call):
        form = None
        if "form" in call:
            form = library.FormData({"name": "n"})
            form.add_field("file", b"text", filename="a.txt", content_type="text/plain")
        options = {"json": call.get("body"), "data": form, "headers": headers(call)}
        return await (await session.request(call["method"], url + call["path"], **options)).text()

    def send(call):
        return loop.run_until_complete(request(call))

else:
    session = library.Session() if name == "python-requests" else library.Client()

    def send(call):
        form = {"files": {"file": ("a.txt", b"text", "text/plain")}, "data": {"name": "n"}} if "form" in call else {}
        options = {"json": call.get("body"), "headers": headers(call), **form}
        return session.request(call["method"], url + call["path"], **options).text


for line in sys.stdin:
    try:
        text = send(json.loads(line))
    except Exception as error:
        text = str(error)
    print(json.dumps(text), flush=True)
print(json.dumps(library.__version__))
