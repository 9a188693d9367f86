"""llama.cpp's server (PyPI xllamacpp) with a random model that this script writes with PyPI gguf.

Usage: llama-server.py MODEL PORT SLOTS [EMBEDDING LAYERS]

A model that does not exist is written, with embeddings of 256 values and four layers by default.
"""

import itertools
import os
import signal
import string
import sys
import time

import gguf
import numpy
import xllamacpp

HEADS, CONTEXT = 4, 16384
TEMPLATE = """{%- if tools %}<|im_start|>system
# Tools
<tools>{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
</tools>
For each function call, return a json object with function name and arguments within <tool_call></tool_call>.<|im_end|>
{% endif -%}
{%- for message in messages %}<|im_start|>{{ message.role }}
{%- if message.content %}
{{ message.content }}{% endif %}
{%- if message.tool_calls %}{% for call in message.tool_calls %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% endif %}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif -%}
"""
# Likelier than the rest, so that answers end, and what a grammar opens is closed.
CONSTANT = 0.25
LIKELY = {"</s>": 2.5, '"': 2.5, "}": 2.5}


def vocabulary():
    """Tokens with their scores and types: bytes, printable characters, and words of two syllables."""
    kind = gguf.TokenType
    special = [("<unk>", kind.UNKNOWN), ("<s>", kind.CONTROL), ("</s>", kind.CONTROL)]
    octets = [(f"<0x{octet:02X}>", kind.BYTE) for octet in range(256)]
    characters = [(c, kind.NORMAL) for c in string.printable.strip()] + [("\u2581", kind.NORMAL)]
    syllables = [a + b for a, b in itertools.product("bdfgklmnprstvz", "aeiou")]
    words = ["\u2581" + a + b for a, b in itertools.product(syllables[:48], syllables[:40])]
    tokens = special + octets + characters + [(word, kind.NORMAL) for word in words]
    return tokens, [-float(at) for at in range(len(tokens))]


def write_model(path, width, layers):
    tokens, scores = vocabulary()
    draw = numpy.random.default_rng(7)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(2 * width)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token for token, _ in tokens])
    writer.add_token_scores(scores)
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)

    def drawn(*shape):
        return (draw.standard_normal(shape) / numpy.sqrt(shape[-1])).astype(numpy.float32)

    def random(name, *shape, keeps_first=False):
        weights = drawn(*shape)
        if keeps_first:
            weights[0] = 0
        writer.add_tensor(name, weights)

    def ones(name):
        writer.add_tensor(name, numpy.ones(width, dtype=numpy.float32))

    # The first dimension is the same for every token, and carries the likelihood.
    embedding, output = drawn(len(tokens), width), drawn(len(tokens), width)
    embedding[:, 0] = CONSTANT
    output[:, 0] = 0
    for at, (token, _) in enumerate(tokens):
        output[at, 0] = LIKELY.get(token, 0)
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output.weight", output)
    norm = numpy.ones(width, dtype=numpy.float32)
    writer.add_tensor("output_norm.weight", norm)
    for layer in range(layers):
        prefix = f"blk.{layer}."
        ones(prefix + "attn_norm.weight")
        ones(prefix + "ffn_norm.weight")
        for part in ("q", "k", "v"):
            random(f"{prefix}attn_{part}.weight", width, width)
        random(prefix + "attn_output.weight", width, width, keeps_first=True)
        random(prefix + "ffn_gate.weight", 2 * width, width)
        random(prefix + "ffn_up.weight", 2 * width, width)
        random(prefix + "ffn_down.weight", width, 2 * width, keeps_first=True)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(path, port, slots):
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {"random"}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = slots
    params.n_ctx = CONTEXT
    params.n_predict = 256
    params.cpuparams.n_threads = 1
    # The cache keeps every prompt, and a server that searches it slows down with each request.
    params.cache_ram_mib = 0
    params.cache_idle_slots = False
    params.endpoint_metrics = True
    params.use_jinja = True
    params.api_keys = [os.environ["ENGINE_KEY"]] if "ENGINE_KEY" in os.environ else []
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    while True:
        time.sleep(1)


if __name__ == "__main__":
    model, port, slots, *shape = sys.argv[1:]
    if not os.path.exists(model):
        write_model(model, *(map(int, shape) if shape else (256, 4)))
    serve(model, int(port), int(slots))
