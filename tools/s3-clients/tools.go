//go:build tools

package tools

import (
	_ "github.com/rclone/rclone/backend/s3"
	_ "github.com/restic/restic/cmd/restic"
)
