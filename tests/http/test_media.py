import pytest

from gateway.http.media import MediaType, is_json, negotiate

OLD, NEW = MediaType.JSON, MediaType.GRAPHQL_RESPONSE


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        (None, OLD),
        ("", OLD),
        ("*/*", OLD),
        ("application/*", OLD),
        ("application/json", OLD),
        ("application/graphql-response+json", NEW),
        ("application/graphql-response+json; charset=utf-8, application/json; charset=utf-8", NEW),
        ("application/json, application/graphql-response+json", OLD),
        ("application/json;q=0.5, application/graphql-response+json;q=0.9", NEW),
        ("application/graphql-response+json;q=0.1, application/json", OLD),
        ("application/json;q=0, */*", NEW),
        ("text/html, */*;q=0.1", OLD),
        ("APPLICATION/JSON", OLD),
        ("application/graphql-response+json;q=1, */*;q=0.8", NEW),
        ("text/html", None),
        ("application/json;q=0", None),
        ("application/json;q=nonsense", None),
        ("application/json; charset=utf-16", None),
        (",;,", None),
    ],
)
def test_gives_a_caller_what_it_likes_best(accept, media):
    assert negotiate(accept) is media


@pytest.mark.parametrize(
    ("content_type", "json"),
    [
        ("application/json", True),
        ("application/json; charset=UTF-8", True),
        ('application/json; charset="utf-8"', True),
        ("application/json; charset=utf-16", False),
        ("application/jsonp", False),
        ("", False),
        (None, False),
    ],
)
def test_takes_json_in_utf_8_alone(content_type, json):
    assert is_json(content_type) is json
