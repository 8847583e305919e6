import { createServer, type RequestListener } from 'node:http'
import { createMetrics, type Metrics } from '@tideport/service-kit/telemetry/metrics'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { type HotTier, openHotTier } from '../src/hot-tier.ts'

/** The address and credentials of the bucket. */
export interface OddStore {
  endpoint: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  hotTier: HotTier
  metrics: Metrics
  /** The received requests. */
  requests(): number
  answerBy(listener: RequestListener): void
}

/** A store that returns any response that a test sets, also ones that a real store never sends. */
export async function startOddStore(): Promise<OddStore & AsyncDisposable> {
  let listener: RequestListener = (_request, response) => response.writeHead(500).end()
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    request.resume()
    void listener(request, response)
  })
  const endpoint = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const metrics = createMetrics('test')
  const hotTier = openHotTier(
    {
      s3Endpoint: endpoint,
      s3Region: 'us-east-1',
      s3Bucket: 'bucket',
      s3ForcePathStyle: true,
      awsAccessKeyId: credentials.accessKeyId,
      awsSecretAccessKey: credentials.secretAccessKey,
    },
    metrics,
  )
  return {
    endpoint,
    credentials,
    hotTier,
    metrics,
    requests: () => requests,
    answerBy: (next) => {
      listener = next
    },
    async [Symbol.asyncDispose]() {
      hotTier[Symbol.dispose]()
      await closeAtOnce(server)
    },
  }
}

/** The beginning of the response that starts an upload in parts. */
export const started = '<InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'

export const answer =
  (status: number, body = ''): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
