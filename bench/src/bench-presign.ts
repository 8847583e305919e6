import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createPresigner } from '@tideport/hot-tier/presign'
import { compare, print, type Variant } from './measure.ts'

const ROUNDS = 15
const URLS_A_ROUND = 300
const MIME_TYPE = 'image/jpeg'
const SIZE_BYTES = 1000
const EXPIRES_SECONDS = 900

/** The presigned URL of an upload as this project makes it, and as the SDK's usual call would. CPU, no network. */
export async function benchPresign(): Promise<void> {
  const s3 = new S3Client({
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:9',
    forcePathStyle: true,
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  })
  const config = { s3Endpoint: 'http://127.0.0.1:9', s3Region: 'us-east-1', s3Bucket: 'bench', s3ForcePathStyle: true }
  const presigner = createPresigner(config, s3.config.credentials)
  const ours = (key: string) =>
    presigner.part({
      key,
      uploadId: 'upload',
      partNumber: 1,
      mimeType: MIME_TYPE,
      sizeBytes: SIZE_BYTES,
      expiresSeconds: EXPIRES_SECONDS,
      signedAt: new Date(),
    })
  const usual = (Key: string) =>
    getSignedUrl(
      s3,
      new PutObjectCommand({ Bucket: 'bench', Key, ContentType: MIME_TYPE, ContentLength: SIZE_BYTES }),
      { expiresIn: EXPIRES_SECONDS, signableHeaders: new Set(['content-type', 'content-length']) },
    )
  const variants = [variant('getSignedUrl', usual), variant('a bare request, signed', ours)]
  print('CPU of a presigned URL', 'µs', await compare(variants, ROUNDS))
}

function variant(name: string, sign: (key: string) => Promise<string>): Variant {
  const run = async () => {
    const before = process.cpuUsage()
    for (let index = 0; index < URLS_A_ROUND; index += 1) await sign(`hot/${index}/photo`)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / URLS_A_ROUND
  }
  return { name, run }
}
