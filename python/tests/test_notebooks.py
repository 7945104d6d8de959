"""The notebooks run from top to bottom, in a folder of their own, and what is committed is the outcome of such a run."""

import pathlib
import tempfile

import pytest

from counting import optional

NOTEBOOKS = sorted((pathlib.Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
LARGEST = 200_000  # bytes, pictures included


def read(path):
    nbformat = optional("nbformat")
    return nbformat.read(path, as_version=4)


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 6


@pytest.fixture
def run(folder, monkeypatch):
    """Executes a notebook; raises what a cell raises, also its assertions."""
    for package in ("nbclient", "ipykernel", "matplotlib", "pandas"):
        optional(package)
    import nbclient
    from traitlets.config import Config

    with tempfile.TemporaryDirectory(prefix="fg") as sockets:  # files, not ports, which somebody else may take; their names must be short
        config = Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/k"})
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR", "TMPDIR"):
            (folder / name.lower()).mkdir()
            monkeypatch.setenv(name, str(folder / name.lower()))
        yield lambda notebook: nbclient.NotebookClient(notebook, kernel_name="python3", timeout=600, startup_timeout=600, config=config,
                                                       resources={"metadata": {"path": str(folder)}}).execute()


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, run):
    run(read(path))


@pytest.mark.long
def test_an_assertion_that_fails_is_noticed(run):
    notebook = read(NOTEBOOKS[0])
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"][:1]
    notebook.cells[0].source = "import freegap\nassert not freegap.__version__, 'noticed'"
    with pytest.raises(Exception, match="noticed"):
        run(notebook)


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_outputs_are_of_one_run(path):
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs and all(output.output_type != "error" and output.get("name") != "stderr" for output in outputs)
    assert path.stat().st_size < LARGEST
