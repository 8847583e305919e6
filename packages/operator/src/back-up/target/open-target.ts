import { resolve } from 'node:path'
import { hotTierSettings } from '@tideport/file-lifecycle/process/settings'
import { loadConfig } from '@tideport/service-kit/config/config'
import { z } from 'zod'
import { type Environment, UsageError } from '../../command.ts'
import { openBucketTarget } from './bucket-target.ts'
import { openDirectoryTarget } from './directory-target.ts'
import type { BackupTarget } from './target.ts'

const { S3_ENDPOINT, S3_REGION, S3_FORCE_PATH_STYLE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = hotTierSettings

/** The bucket of the backups has settings of its own, because it should be in another place than the hot tier. */
const bucketSettings = z.object({
  BACKUP_S3_ENDPOINT: S3_ENDPOINT,
  BACKUP_S3_REGION: S3_REGION,
  BACKUP_S3_FORCE_PATH_STYLE: S3_FORCE_PATH_STYLE,
  BACKUP_AWS_ACCESS_KEY_ID: AWS_ACCESS_KEY_ID,
  BACKUP_AWS_SECRET_ACCESS_KEY: AWS_SECRET_ACCESS_KEY,
})

/** `place`: a folder, or `s3://BUCKET/PREFIX`. */
export function openTarget(place: string, env: Environment): BackupTarget {
  if (!/^[a-z0-9]+:\/\//i.test(place)) return openDirectoryTarget(resolve(place))
  const [, s3Bucket, folder = ''] = /^s3:\/\/([a-z0-9.-]{3,63})(?:\/([^?#]*))?$/.exec(place) ?? []
  if (s3Bucket === undefined) throw new UsageError(`${place} must be a folder or s3://BUCKET/PREFIX`)
  const config = loadConfig(bucketSettings, env)
  const bucket = {
    s3Bucket,
    s3Endpoint: config.backupS3Endpoint,
    s3Region: config.backupS3Region,
    s3ForcePathStyle: config.backupS3ForcePathStyle,
    awsAccessKeyId: config.backupAwsAccessKeyId,
    awsSecretAccessKey: config.backupAwsSecretAccessKey,
  }
  return openBucketTarget(bucket, folder.replace(/\/+$/, ''))
}
