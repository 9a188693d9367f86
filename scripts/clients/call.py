"""Sends the requests of record-clients.ts with one library: call.py LIBRARY BASE. The text of the body is argument 3."""
import asyncio, sys

library, base, text = sys.argv[1:4]
body = {"model": "m", "messages": [{"role": "user", "content": text}], "temperature": 0.5}
streamed = {**body, "stream": True}
auth = {"Authorization": "Bearer key"}
keyed = {**auth, "Idempotency-Key": "idem"}
part = {"file": ("a.txt", b"text", "text/plain")}


def calls(client):
    return [
        client.get(base + "/get", headers=auth),
        client.delete(base + "/delete", headers=auth),
        client.post(base + "/empty", headers=auth),
        client.post(base + "/json", json=body, headers=auth),
        client.post(base + "/keyed", json=body, headers=keyed),
        client.put(base + "/put", json=body, headers=auth),
        client.patch(base + "/patch", json=body, headers=auth),
        client.post(base + "/form", files=part, data={"name": "n"}, headers=auth),
    ]


if library == "requests":
    import requests

    calls(requests.Session())
    print(requests.__version__)
elif library == "httpx":
    import httpx

    calls(httpx.Client())
    print(httpx.__version__)
elif library == "openai":
    import openai

    def client(name):
        return openai.OpenAI(api_key="key", base_url=base + "/" + name)

    client("get").models.list()
    asked = client("json")
    for _ in range(2):
        asked.chat.completions.create(**body)
    for _ in client("stream").chat.completions.create(**streamed):
        pass
    print(openai.__version__)
elif library == "aiohttp":
    import aiohttp

    async def run():
        async with aiohttp.ClientSession(headers=auth) as client:
            for call in ("get", "delete"):
                await (await getattr(client, call)(base + "/" + call)).read()
            await (await client.post(base + "/empty")).read()
            await (await client.post(base + "/json", json=body)).read()
            await (await client.post(base + "/keyed", json=body, headers={"Idempotency-Key": "idem"})).read()
            await (await client.put(base + "/put", json=body)).read()
            await (await client.patch(base + "/patch", json=body)).read()
            form = aiohttp.FormData({"name": "n"})
            form.add_field("file", b"text", filename="a.txt", content_type="text/plain")
            await (await client.post(base + "/form", data=form)).read()

    asyncio.run(run())
    print(aiohttp.__version__)
