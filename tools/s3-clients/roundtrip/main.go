// Command roundtrip uploads, lists, copies, downloads, and deletes objects with the AWS SDK for Go v2. Arguments: the endpoint and a new bucket's name.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/manager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, endpoint, bucket string) error {
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := s3.NewFromConfig(settings, func(options *s3.Options) {
		options.BaseEndpoint = &endpoint
		options.UsePathStyle = true
	})
	if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		return err
	}
	for key, size := range map[string]int{"empty": 0, "folder/ünïcode + & %.txt": 1000, "parts": 17 << 20} {
		if err := roundTrip(ctx, client, bucket, key, bytes.Repeat([]byte("tideport "), size/9)); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	_, err = client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &bucket})
	return err
}

func roundTrip(ctx context.Context, client *s3.Client, bucket, key string, sent []byte) error {
	metadata := map[string]string{"origin": "roundtrip"}
	put := &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(sent), Metadata: metadata}
	if _, err := manager.NewUploader(client).Upload(ctx, put); err != nil {
		return err
	}
	got, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key, ChecksumMode: "ENABLED"})
	if err != nil {
		return err
	}
	received, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	if !bytes.Equal(sent, received) || got.Metadata["origin"] != "roundtrip" {
		return fmt.Errorf("received %d of %d bytes, metadata %v", len(received), len(sent), got.Metadata)
	}
	listed, err := client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket})
	if err != nil {
		return err
	}
	if len(listed.Contents) != 1 || aws.ToString(listed.Contents[0].Key) != key {
		return fmt.Errorf("the list has %d keys", len(listed.Contents))
	}
	_, err = client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
	return err
}
