/** Where the bucket is, for services and for clients, and who we are there. */
export interface HotTierConfig {
  s3Endpoint?: string | undefined
  s3PublicEndpoint?: string | undefined
  s3Region: string
  s3Bucket: string
  s3ForcePathStyle: boolean
  /** Connections for bytes; 256 unless told. */
  hotStreamsMax?: number
  awsAccessKeyId?: string | undefined
  awsSecretAccessKey?: string | undefined
}
