"""Uploads, lists, copies, downloads, and deletes objects with boto3. Argument: a new bucket's name."""

import io
import sys
import urllib.request

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

bucket = sys.argv[1]
s3 = boto3.client("s3", config=Config(signature_version="s3v4"))  # by default, boto3 signs URLs with SigV2
s3.create_bucket(Bucket=bucket)
parts = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)
objects = {"empty": b"", "folder/ünïcode + & %.txt": b"tideport " * 100, "parts": b"tideport " * (2 << 20)}
for key, sent in objects.items():
    extra = {"Metadata": {"origin": "round trip"}, "ContentType": "text/x-test", "CacheControl": "no-cache"}
    s3.upload_fileobj(io.BytesIO(sent), bucket, key, ExtraArgs=extra, Config=parts)
    got = s3.get_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
    assert got["Body"].read() == sent, key
    assert got["Metadata"] == {"origin": "round trip"}, got["Metadata"]
    assert (got["ContentType"], got["CacheControl"]) == ("text/x-test", "no-cache"), got
    url = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": key}, ExpiresIn=60)
    assert urllib.request.urlopen(url).read() == sent, key
    s3.copy({"Bucket": bucket, "Key": key}, bucket, f"copies/{key}", Config=parts)
    assert s3.get_object(Bucket=bucket, Key=f"copies/{key}")["Body"].read() == sent, key

some = s3.get_object(Bucket=bucket, Key="parts", Range="bytes=9-17")
assert some["Body"].read() == b"tideport ", some
assert s3.head_object(Bucket=bucket, Key="parts")["ETag"].endswith('-4"')

tags = {"TagSet": [{"Key": "color", "Value": "red=blue"}]}
s3.put_object_tagging(Bucket=bucket, Key="empty", Tagging=tags)
assert s3.get_object_tagging(Bucket=bucket, Key="empty")["TagSet"] == tags["TagSet"]

pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, PaginationConfig={"PageSize": 2})
keys = [entry["Key"] for page in pages for entry in page["Contents"]]
assert keys == sorted([*objects, *(f"copies/{key}" for key in objects)], key=str.encode), keys
top = s3.list_objects_v2(Bucket=bucket, Delimiter="/")
assert [each["Prefix"] for each in top["CommonPrefixes"]] == ["copies/", "folder/"], top

deleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
assert len(deleted["Deleted"]) == len(keys), deleted
s3.delete_bucket(Bucket=bucket)
