"""Items are read from folders, tables, lists and uploads; what is wrong is named."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from podium.vote.items import image_type, read_items, shown_from_upload
from podium.vote.items.checks import MOST_IMAGE, MOST_NAME, MOST_TEXT
from podium.vote.nouns import Kind, Shown

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
JPEG = b"\xff\xd8\xff\xe0" + bytes(16)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def write(folder: Path, **files: str | bytes) -> Path:
    """Write files; a double underscore stands for a slash, and a single one for a dot."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def table(folder: Path, text: str, name: str = "items.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------ folders


def test_a_folder_has_one_item_per_file(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Hello", b_md="# Hi", c_py="print(1)", d_PNG=PNG, e_svg=SVG)
    assert read_items(tmp_path) == [
        Shown("a", "text", "Hello"),
        Shown("b", "markdown", "# Hi"),
        Shown("c", "code", "print(1)", language="python"),
        Shown("d", "image", "", data=PNG),
        Shown("e", "image", "", data=SVG),
    ]


def test_files_that_cannot_be_shown_are_named(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Hello", b_txt="Hi", c_pdf="?", deep__d_txt="!")
    (tmp_path / ".hidden.txt").write_text("secret")
    (tmp_path / ".DS_Store").write_bytes(b"\0")  # the system's, so not worth a word
    with pytest.warns(
        UserWarning, match=r"left out 3 files of .*: '\.hidden\.txt', 'c\.pdf', 'deep'; podium shows"
    ):
        assert [shown.item for shown in read_items(tmp_path)] == ["a", "b"]


def test_links_out_of_a_folder_are_left_out(tmp_path: Path) -> None:
    secret = table(tmp_path, "secret", "secret.txt")
    folder = write(tmp_path / "items", a_txt="Hello", b_txt="Hi")
    (folder / "c.txt").symlink_to(secret)
    (folder / "d.txt").symlink_to(folder / "a.txt")
    (folder / "e.txt").symlink_to(folder / "e.txt")
    with pytest.warns(UserWarning, match=r"left out 2 files of .*: 'c\.txt', 'e\.txt'"):
        assert [shown.item for shown in read_items(folder)] == ["a", "b", "d"]


def test_equal_stems_keep_their_suffix(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Hello", a_md="Hi", b_txt="Hey")
    assert [shown.item for shown in read_items(tmp_path)] == ["a.md", "a.txt", "b"]


def test_the_kind_of_texts_can_be_given(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Hello", b_py="1", c_png=PNG)
    assert [shown.kind for shown in read_items(tmp_path, "markdown")] == ["markdown", "markdown", "image"]
    write(tmp_path, d_png=PNG)
    with pytest.warns(UserWarning, match="left out 2 files"):
        assert [shown.item for shown in read_items(tmp_path, "image")] == ["c", "d"]


def test_a_folder_of_folders_has_one_item_per_folder(tmp_path: Path) -> None:
    write(tmp_path, gpt__cat_txt="meow", gpt__dog_txt="woof", llama__cat_txt="purr", llama__dog_md="*bark*")
    assert read_items(tmp_path) == [
        Shown("gpt", "text", "meow", "cat"),
        Shown("gpt", "text", "woof", "dog"),
        Shown("llama", "text", "purr", "cat"),
        Shown("llama", "markdown", "*bark*", "dog"),
    ]


@pytest.mark.parametrize(
    "prompts",
    [
        {"prompts__cat_txt": "What does a cat say?\n"},
        {"prompts_csv": "name,prompt\ncat,What does a cat say?"},
    ],
)
def test_prompts_have_texts_of_their_own(tmp_path: Path, prompts: dict[str, str]) -> None:
    write(tmp_path, gpt__cat_txt="meow", llama__cat_txt="purr", **prompts)
    assert {shown.prompt for shown in read_items(tmp_path)} == {"What does a cat say?"}


def test_links_out_of_a_folder_of_folders_are_left_out(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret", cat_txt="secret", prompts_csv="name,prompt\ncat,secret")
    folder = write(
        tmp_path / "answers", gpt__cat_txt="meow", llama__cat_txt="purr", llama__dog_txt="!", gpt__dog_txt="?"
    )
    (folder / "other").symlink_to(secret, target_is_directory=True)
    (folder / "prompts.csv").symlink_to(secret / "prompts.csv")
    (folder / "gpt" / "bird.txt").symlink_to(secret / "cat.txt")
    with pytest.warns(UserWarning, match="left out") as warned:
        found = read_items(folder)
    assert len(found) == 4
    assert not [shown for shown in found if "secret" in (shown.item, shown.text, shown.prompt)]
    names = [str(each.message).partition(": ")[2].partition(";")[0] for each in warned]
    assert names == ["'other', 'prompts.csv'", "'gpt/bird.txt'"]


def test_loose_files_beside_models_are_named(tmp_path: Path) -> None:
    write(tmp_path, gpt__cat_txt="meow", llama__cat_txt="purr", llama__dog_txt="woof", README_md="About")
    with pytest.warns(UserWarning, match="left out 1 file of|single answer") as warned:
        assert len(read_items(tmp_path)) == 3
    assert [str(each.message).partition(":")[2][:14] for each in warned] == [" 'README.md'; ", " 'dog'"]


def test_two_answers_of_a_model_to_a_prompt_are_refused(tmp_path: Path) -> None:
    write(tmp_path, gpt__cat_txt="meow", gpt__cat_md="meow", llama__cat_txt="purr")
    with pytest.raises(
        ValueError, match=r"cat\.txt' has the item 'gpt' again for the same prompt, after .*cat\.md'"
    ):
        read_items(tmp_path)


# ------------------------------------------------------------------------------------ tables


def test_a_list_has_one_item_per_line(tmp_path: Path) -> None:
    path = table(tmp_path, "\ufeffTea\n\n  Coffee, black \n", "drinks.txt")
    assert read_items(path) == [Shown("Tea", "text", "Tea"), Shown("Coffee, black", "text", "Coffee, black")]


def test_a_table_of_names(tmp_path: Path) -> None:
    assert read_items(table(tmp_path, "Name\nTea\nCoffee\n")) == [
        Shown("Tea", "text", "Tea"),
        Shown("Coffee", "text", "Coffee"),
    ]
    with pytest.warns(UserWarning, match="1 column not shown: 'price'"):
        assert read_items(table(tmp_path, "id,price\n1,3\n2,4\n"))[1] == Shown("2", "text", "2")


def test_a_table_of_texts(tmp_path: Path) -> None:
    texts = table(tmp_path, "title,text\na,Hello\nb,Hi\n")
    assert read_items(texts) == [Shown("a", "text", "Hello"), Shown("b", "text", "Hi")]
    assert read_items(texts, "markdown")[0] == Shown("a", "markdown", "Hello")
    code = table(tmp_path, "item\tcode\tlanguage\na\tx = 1\tpython\nb\tlet x\t\n", "items.tsv")
    assert [shown.language for shown in read_items(code)] == ["python", ""]


def test_a_table_of_images(tmp_path: Path) -> None:
    write(tmp_path, pictures__a_png=PNG, pictures__b_jpg=JPEG)
    path = table(tmp_path, "name,image,description\na,pictures/a.png,A cat\nb,pictures/../pictures/b.jpg,\n")
    assert read_items(path) == [Shown("a", "image", "A cat", data=PNG), Shown("b", "image", "", data=JPEG)]


ANSWERS = [
    Shown("gpt-4.1", "markdown", "meow", "cat?"),
    Shown("llama", "markdown", "purr", "cat?"),
    Shown("gpt-4.1", "markdown", "woof", "dog?"),
    Shown("llama", "markdown", "bark", "dog?"),
]
LONG = pd.DataFrame(
    {
        "prompt": [shown.prompt for shown in ANSWERS],
        "Model": [shown.item for shown in ANSWERS],
        "response": [shown.text for shown in ANSWERS],
    }
)
WIDE = pd.DataFrame({"prompt": ["cat?", "dog?"], "gpt-4.1": ["meow", "woof"], "llama": ["purr", "bark"]})


@pytest.mark.parametrize("frame", [LONG, WIDE], ids=["long", "wide"])
@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "parquet", "xlsx"])
def test_answers_are_read_from_any_table(tmp_path: Path, frame: pd.DataFrame, suffix: str) -> None:
    path = tmp_path / f"answers.{suffix}"
    writers: dict[str, Callable[[], None]] = {
        "csv": lambda: frame.to_csv(path, index=False),
        "json": lambda: frame.to_json(path, orient="records"),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        "parquet": lambda: frame.to_parquet(path),
        "xlsx": lambda: frame.to_excel(path, index=False),
    }
    writers[suffix]()
    assert read_items(path) == ANSWERS


def test_nested_answers(tmp_path: Path) -> None:
    rows = [
        {"id": 7, "prompt": "cat?", "answers": {"gpt-4.1": "meow", "llama": "purr"}},
        {"id": 8, "prompt": "dog?", "answers": {"gpt-4.1": "woof\n\n<b>", "llama": None}},
    ]
    path = table(tmp_path, "\n".join(map(json.dumps, rows)), "answers.jsonl")
    with pytest.warns(UserWarning, match="not shown|1 cell without an answer in|single answer") as warned:
        found = read_items(path)
    assert found == [*ANSWERS[:2], Shown("gpt-4.1", "markdown", "woof\n\n<b>", "dog?")]
    messages = [str(each.message) for each in warned]
    assert messages[0] == "1 column not shown: 'id'"
    assert messages[2] == "1 prompt with a single answer will not be shown: 'dog?'"


def test_columns_that_number_the_rows_are_no_models(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    WIDE.to_csv(path)
    with pytest.warns(UserWarning, match="1 column not shown: 'column 1'"):
        assert read_items(path) == ANSWERS


def test_answers_may_be_images(tmp_path: Path) -> None:
    write(tmp_path, a_png=PNG, b_png=PNG)
    for text in ("prompt,x,y\ncat,a.png,b.png\n", "prompt,model,answer\ncat,x,a.png\ncat,y,b.png\n"):
        found = read_items(table(tmp_path, text), "image")
        assert found == [Shown("x", "image", "", "cat", PNG), Shown("y", "image", "", "cat", PNG)]


# ------------------------------------------------------------------------------------ errors

LONG_NAME = "x" * (MOST_NAME + 1)
REFUSED = {
    "no names": (
        "colour,text\nred,a\n",
        "no column of names; name one of its columns 'colour', 'text' 'name'",
    ),
    "two contents": (
        "name,text,image\na,b,c\n",
        "the columns 'text' and 'image' could both be what is shown",
    ),
    "no models": ("prompt,answer\na,b\n", "has answers in its column 'answer' but no column of models"),
    "no answers": ("prompt,name,x\na,b,c\n", "has models in its column 'name' but no column of answers"),
    "one item": ("name\na\n", "needs at least two items, and .* has only 'a'"),
    "no items": ("name,text\n", "needs at least two items, and .* has none"),
    "an item twice": (
        "name\na\nb\na\n",
        r"row 3 .* has the item 'a' again, after row 1 \(.*; remove or rename",
    ),
    "an answer twice": ("prompt,x,y\na,1,2\na,3,4\n", "'x' in row 2 .* 'x' again for the same prompt"),
    "no name": ("name,text\na,b\n,c\n", "the name in row 2 .* is empty; every item needs a name"),
    "no text": ("name,text\na,b\nb,\n", "column 'text' in row 2 .* is empty; fill it in or remove it"),
    "no prompt": ("prompt,x,y\na,1,2\n,3,4\n", "the prompt in row 2 .* is empty"),
    "long name": (f"name\na\n{LONG_NAME}\n", "the name in row 2 .* is longer than 200 characters: 'xxx"),
    "long text": (f"name,text\na,b\nb,{'x' * (MOST_TEXT + 1)}\n", "'text' in row 2 .* is larger than 1 MB"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_errors_name_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_items(table(tmp_path, text))


def test_cells_must_be_text(tmp_path: Path) -> None:
    path = table(tmp_path, '[{"name": "a", "text": "b"}, {"name": "c", "text": "d\\u0000"}]', "items.json")
    with pytest.raises(ValueError, match="has a character that cannot be stored"):
        read_items(path)
    path = table(tmp_path, '[{"name": "a", "text": ["b"]}, {"name": "c", "text": ["d"]}]', "items.json")
    with pytest.raises(ValueError, match=r"column 'text' has \['b'\] in row 1 .*; it must be text"):
        read_items(path)


OUTSIDE = {
    "up": ("../secret.png", "leads out of the table's folder"),
    "up and down": ("x/../../items/../secret.png", "leads out of the table's folder"),
    "absolute": ("/etc/passwd", "leads out of the table's folder"),
    "drive": (r"C:\secret.png", "leads out of the table's folder"),
    "link": ("link.png", "leads out of the table's folder"),
    "folder link": ("folder/secret.png", "leads out of the table's folder"),
    "circle": ("circle.png", "leads out of the table's folder|does not exist"),
    "too long": ("x" * 5000 + ".png", "leads out of the table's folder|does not exist"),
    "web": ("https://a.example/a.png", "is a URL"),
    "file": ("file:///etc/passwd", "is a URL"),
    "data": ("DATA:image/png;base64,AAAA", "is a URL"),
    "no image": ("items.csv", "is not the path of an image"),
    "missing": ("b.png", "names a file that does not exist"),
    "folder": ("folder.png", "names a file that does not exist"),
    "other type": ("jpeg.png", "'jpeg.png', is of type image/jpeg, .* rename it to end in .jpg"),
    "text": ("text.png", "'text.png', does not begin like an image of type image/png"),
}


@pytest.mark.parametrize(("cell", "message"), OUTSIDE.values(), ids=OUTSIDE)
def test_images_stay_in_the_folder_of_their_table(tmp_path: Path, cell: str, message: str) -> None:
    write(tmp_path, secret_png=PNG)
    folder = write(tmp_path / "items", a_png=PNG, jpeg_png=JPEG, text_png="Hello")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "folder").symlink_to(tmp_path, target_is_directory=True)
    (folder / "circle.png").symlink_to(folder / "circle.png")
    (folder / "folder.png").mkdir()
    path = table(folder, f'name,image\na,a.png\nb,"{cell}"\n')
    with pytest.raises(ValueError, match=rf"column 'image' in row 2 \(counting from 1\).*({message})"):
        read_items(path)


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        read_items(tmp_path / "nothing.csv")


# ------------------------------------------------------------------------------------ files

SOUND = {
    "image/png": PNG,
    "image/jpeg": JPEG,
    "image/gif": b"GIF89a" + bytes(8),
    "image/webp": b"RIFF\x10\0\0\0WEBPVP8 ",
    "image/avif": b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf",
    "image/svg+xml": b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg>\n' + SVG,
}
NO_IMAGES = {
    "empty": b"",
    "text": b"Hello <svg>",
    "page": b"<html><svg xmlns='http://www.w3.org/2000/svg'/></html>",
    "svg without namespace": b"<svg/>",
    "svg cut off": SVG[:-3],
    "video": b"\0\0\0\x18ftypisom\0\0\0\0isommp42",
    "sound": b"RIFF\x10\0\0\0WAVEfmt ",
    "entities": b'<!DOCTYPE svg [<!ENTITY a0 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">'
    + b"".join(b'<!ENTITY a%d "%s">' % (k + 1, b"&a%d;" % k * 20) for k in range(9))
    + b']><svg xmlns="http://www.w3.org/2000/svg">&a9;</svg>',
}


@pytest.mark.parametrize("kind", SOUND)
def test_images_are_known_by_their_bytes(kind: str) -> None:
    assert image_type(SOUND[kind]) == kind


@pytest.mark.parametrize("data", NO_IMAGES.values(), ids=NO_IMAGES)
def test_other_bytes_are_no_images(data: bytes) -> None:
    assert image_type(data) is None


@pytest.mark.parametrize(
    ("file_name", "item"),
    [
        ("cat.txt", "cat"),
        ("../../etc/cat.txt", "cat"),
        (r"C:\Users\ann\cat.txt", "cat"),
        ("ca\x00t\r\n\x1b[31m.txt", "cat [31m"),
        ("\u202etac.txt", "tac"),
        ("<img src=x onerror=alert(1)>.txt", "<img src=x onerror=alert(1)>"),
        ("cat\udcff.txt", "cat"),
    ],
)
def test_names_of_uploads_are_no_paths(file_name: str, item: str) -> None:
    assert shown_from_upload(file_name, b"Hello") == Shown(item, "text", "Hello")


@pytest.mark.parametrize(
    ("file_name", "kind", "data"),
    [("a.svg", "image", SVG), ("a.JPEG", "image", JPEG), ("a.py", "code", b"x = 1")],
)
def test_uploads_have_the_kind_of_their_suffix(file_name: str, kind: Kind, data: bytes) -> None:
    assert shown_from_upload(file_name, data).kind == kind


@pytest.mark.parametrize(
    ("file_name", "data", "message"),
    [
        ("", b"a", "the name of the file is empty"),
        ("a/..", b"a", "the file '..' cannot be shown"),
        (".htaccess", b"a", "the file '.htaccess' cannot be shown; podium shows .txt, .md, code, and images"),
        ("a.exe", b"MZ", "the file 'a.exe' cannot be shown"),
        ("a.txt", b"\xff\xfe", "the file 'a.txt' is not UTF-8 text"),
        ("a.txt", b" ", "the file 'a.txt' is empty"),
        ("a.txt", b"x" * (MOST_TEXT + 1), "the file 'a.txt' is larger than 1 MB"),
        ("a.png", PNG + bytes(MOST_IMAGE), "the file 'a.png' is larger than 10 MB"),
        ("a.svg", b"<html/>", "the file 'a.svg' is not an SVG image"),
        ("a.png", SVG, "the file 'a.png' is of type image/svg+xml"),
        (
            "a.png",
            PNG[:16] + (60_000).to_bytes(4) * 2 + bytes(99),
            "the file 'a.png' has 60,000 × 60,000 pixels; make it smaller, of at most 100 million",
        ),
        ("a.gif", b"GIF89a\xff\xff\xff\xff" + bytes(9), "the file 'a.gif' has 65,535 × 65,535 pixels"),
        ("x" * 300 + ".txt", b"a", "longer than 200 characters"),
    ],
)
def test_uploads_are_refused_by_name(file_name: str, data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        shown_from_upload(file_name, data)
