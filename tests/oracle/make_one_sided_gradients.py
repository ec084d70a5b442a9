"""Gradients of the small models in BERT's, DistilBERT's, RoBERTa's and GPT-2's layouts by PyTorch's autograd in float64.

    /usr/bin/python3 tests/oracle/make_one_sided_gradients.py

writes beside each model of tests/goldens/one-sided: gradients.safetensors, d loss / d weight under the weight's name, in
F32; and gradients.json: the texts, what is asked of them, and the loss, the mean over what is asked of the cross-entropy
with label smoothing (Szegedy et al. 2016).
"""

import json
import pathlib

import torch

import one_sided
from make_tiny_models import write_safetensors
from transformer import read_safetensors

GOLDENS = pathlib.Path(__file__).resolve().parent.parent / "goldens" / "one-sided"
MODELS = ["bert-masked", "bert-sequence", "bert-tokens", "distilbert-masked", "roberta-sequence", "gpt2", "gpt2-untied"]
NOT_ASKED = -1
SMOOTHING = 0.1


def read_weights(folder):
    if (folder / "model.safetensors").exists():
        return read_safetensors(folder / "model.safetensors")
    return torch.load(folder / "pytorch_model.bin")


def draw_texts(config, generator):
    """Ids and answers; an answer is NOT_ASKED where a row is not asked. Lengths differ."""
    pieces = config["vocab_size"]
    draw = lambda n, most: torch.randint(0, most, (n,), generator=generator).tolist()
    texts = []
    for length in (7, 1, 12, 3):
        ids = draw(length, pieces)
        if config["model_type"] == "gpt2":
            start = config["bos_token_id"]
            texts.append({"start": start, "ids": [start] + ids[:-1], "answers": ids})
            continue
        head = config["architectures"][0]
        outputs = pieces if head.endswith("MaskedLM") else len(config["id2label"])
        answers = draw(length, outputs)
        for row in range(length):
            asked = row == 0 if head.endswith("SequenceClassification") else row % 3 != 1
            answers[row] = answers[row] if asked else NOT_ASKED
        texts.append({"ids": ids, "answers": answers})
    return texts


def loss(model, texts):
    total, count = 0, 0
    for text in texts:
        asked = [row for row, answer in enumerate(text["answers"]) if answer != NOT_ASKED]
        answers = torch.tensor([text["answers"][row] for row in asked])
        if isinstance(model, one_sided.Gpt2):
            logits = model.logits(text["ids"])
        else:
            logits = model.logits(model.hidden(text["ids"], [0] * len(text["ids"]))[asked])
        total = total + torch.nn.functional.cross_entropy(logits, answers, label_smoothing=SMOOTHING, reduction="sum")
        count += len(asked)
    return total / count


def make(folder):
    config = json.loads((folder / "config.json").read_text())
    kind = one_sided.Gpt2 if config["model_type"] == "gpt2" else one_sided.Encoder
    model = kind(config, read_weights(folder), torch.float64)
    for tensor in model.w.values():
        tensor.requires_grad_()
    texts = draw_texts(config, torch.Generator().manual_seed(len(folder.name)))
    value = loss(model, texts)
    value.backward()
    gradients = {k: w.grad if w.grad is not None else torch.zeros_like(w) for k, w in model.w.items()}
    write_safetensors(folder / "gradients.safetensors", {k: ("F32", g.float()) for k, g in gradients.items()})
    golden = {"smoothing": SMOOTHING, "loss": float(value.detach()), "texts": texts}
    (folder / "gradients.json").write_text(json.dumps(golden) + "\n")
    print(folder.name, golden["loss"])


if __name__ == "__main__":
    for name in MODELS:
        make(GOLDENS / name)
