"""Python clients against the reference server, unmodified: one line for each step that holds.

usage: clients.py openai|langchain BASE_URL [proxied]     (the key in OPENAI_API_KEY; the server runs script.yaml)
"""

import json
import os
import sys

CLIENT, BASE_URL, *PROXIED = sys.argv[1:]
KEY = os.environ["OPENAI_API_KEY"]
MODEL = "SVC-Main"
QUESTION = "What is the weather in Oslo?"
ANSWER = "Oslo has 5 degrees."
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}


def step(name, holds):
    if not holds:
        sys.exit(f"FAIL {name}")
    print(f"ok   {name}")


def with_openai():
    from openai import APIStatusError, OpenAI

    client = OpenAI(base_url=BASE_URL, api_key=KEY)
    step("models", any(model.id in (MODEL, "svc-main-model") for model in client.models.list()))
    messages = [{"role": "user", "content": "Hello!"}]
    whole = client.chat.completions.create(model=MODEL, messages=messages)
    step("a completion", whole.choices[0].message.content and whole.usage.total_tokens > 0)
    stream = client.chat.completions.create(model=MODEL, messages=messages, stream=True)
    pieces = [chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices]
    step("a stream", "".join(pieces) == whole.choices[0].message.content)
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}]
    messages = [{"role": "user", "content": QUESTION}]
    for turn in range(5):
        asked = client.chat.completions.create(model=MODEL, messages=messages, tools=tools)
        message = asked.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls or []:
            step("a tool call", json.loads(call.function.arguments) == {"city": "Oslo"})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "5"})
        if not message.tool_calls:
            break
    step("the loop ends", turn == 1 and messages[-1]["content"] == ANSWER)
    try:
        OpenAI(base_url=BASE_URL, api_key="sk-wrong").models.list()
        step("a wrong key is refused", False)
    except APIStatusError as error:
        # A LiteLLM proxy without a database answers 400 to a key that is not its own.
        step("a wrong key is refused", error.status_code in ((400, 401) if PROXIED else (401,)))


def with_langchain():
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model=MODEL, base_url=BASE_URL, api_key=KEY)
    whole = model.invoke("Hello!")
    step("invoke", whole.content and whole.usage_metadata["total_tokens"] > 0)
    step("stream", "".join(part.content for part in model.stream("Hello!")) == whole.content)
    tool = {"title": "get_weather", "description": "The weather in a city", **PARAMETERS}
    bound = model.bind_tools([tool])
    messages = [HumanMessage(QUESTION)]
    for turn in range(5):
        answer = bound.invoke(messages)
        messages.append(answer)
        for call in answer.tool_calls:
            step("a tool call", call["args"] == {"city": "Oslo"})
            messages.append(ToolMessage("5", tool_call_id=call["id"]))
        if not answer.tool_calls:
            break
    step("the loop ends", turn == 1 and answer.content == ANSWER)


{"openai": with_openai, "langchain": with_langchain}[CLIENT]()
