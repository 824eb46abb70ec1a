"""The int8 graph: made of the packaged weights, close to what they give, and never trusted."""

import numpy as np
import pytest

from retrieval.minilm import MiniLM, Network, int8_network, packaged_network
from retrieval.minilm_graph import int8_graph
from retrieval.onnx_wire import Graph, tensors

TEXTS = [
    "",
    "The queue consumer is lagging behind its producers; restart the broker on node_exporter:9100.",
    "日本語の障害 and 💥",
    "The payments gateway answers ERR_5032 when its pool is empty. " * 40,
]


def test_the_int8_graph_gives_nearly_the_packaged_vectors() -> None:
    """Whatever the length, a text's two vectors are one for every purpose of a search."""
    fast, slow = MiniLM(int8_network), MiniLM(packaged_network)
    for text in TEXTS:
        assert fast.embed(text) @ slow.embed(text) > 0.98
        assert np.array_equal(MiniLM().embed(text), fast.embed(text))
    assert fast.is_right()
    assert slow.is_right()


def wrong(_packaged: bytes) -> Network:
    """A network that computes something else."""
    dice = np.random.default_rng(1)
    return lambda ids: dice.standard_normal((len(ids), 384), dtype=np.float32)


def failing(_packaged: bytes) -> Network:
    """An onnxruntime that lacks an operation."""
    raise NotImplementedError


def test_a_graph_that_computes_something_else_is_noticed() -> None:
    """Known cosines have to come out; one that can't be built gives way to the packaged one."""
    assert not MiniLM(wrong).is_right()
    assert MiniLM(failing).is_right()


def test_another_model_is_no_int8_graph() -> None:
    """What isn't laid out as expected raises, and the caller falls back."""
    graph = Graph()
    graph.constant("val_1_q", np.zeros((2, 2), dtype=np.int8))
    with pytest.raises(ValueError, match="1 matrices, not 36"):
        int8_graph(graph.model("in", "out", [1, "n", 2]))


def test_what_is_written_can_be_read() -> None:
    """Constants keep name, type, shape and values; large ones need lengths of many bytes."""
    graph = Graph()
    floats = np.arange(60_000, dtype=np.float32).reshape(2, 3, 10_000)
    bytes_ = np.array([[-128, 0, 127]], dtype=np.int8)
    graph.constant("floats", floats)
    graph.constant("bytes", bytes_)
    found = tensors(graph.model("in", "out", [1, "n"]))
    assert found.keys() == {"floats", "bytes"}
    assert np.array_equal(found["floats"], floats)
    assert found["bytes"].dtype == np.int8
    assert np.array_equal(found["bytes"], bytes_)
