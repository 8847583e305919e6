import type { Answer } from '@tideport/s3-client/response'
import {
  createS3Client,
  type OpenAnswer,
  type S3Client,
  type S3ClientOptions,
  type S3Request,
} from '@tideport/s3-client/s3-client'
import { failureOf } from './failure.ts'

export interface BucketSettings {
  /** Default: AWS. */
  endpoint?: string | undefined
  region: string
  bucket: string
  forcePathStyle: boolean
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  connect?: S3ClientOptions['connect']
}

/** Requests with deadlines. They throw `NetworkError` (`failureOf`), and an `S3Error` for absent objects. */
export interface Bucket extends Disposable {
  /** A small request, with a response within 9 s including one retry. */
  ask(request: S3Request, signal: AbortSignal): Promise<Answer>
  /** Sends at most one part, or completes an upload, which a store may process slowly. */
  send(request: S3Request, signal: AbortSignal): Promise<Answer>
  /** The response begins within 9 s. The body may take as long as its reader, unless no byte arrives for 30 s. */
  open(request: S3Request, signal: AbortSignal): Promise<OpenAnswer>
}

const CONNECTIONS = 128
/** For one attempt: a reader has other copies to request, and waits at most ten seconds. */
export const ANSWER_MS = 4_000
const SENT_ANSWER_MS = 120_000
const limits = { connections: CONNECTIONS, attempts: 2, connectTimeoutMs: 3_000, silenceTimeoutMs: 30_000 } as const
export const QUESTION_DEADLINE_MS = 9_000
/** 8 MiB at 35 kB/s. */
const SEND_DEADLINE_MS = 240_000

export function openBucket({ accessKeyId, secretAccessKey, sessionToken, ...where }: BucketSettings): Bucket {
  const credentials = async () => ({ accessKeyId, secretAccessKey, sessionToken })
  // Bytes use separate connections, so they never delay small requests.
  const client = (answerTimeoutMs: number) => createS3Client({ ...where, ...limits, credentials, answerTimeoutMs })
  const [questions, sent, reads] = [client(ANSWER_MS), client(SENT_ANSWER_MS), client(ANSWER_MS)]
  return {
    ask: (request, signal) => inTime(questions, 'ask', request, signal, QUESTION_DEADLINE_MS),
    send: (request, signal) => inTime(sent, 'ask', request, signal, SEND_DEADLINE_MS),
    open: (request, signal) => inTime(reads, 'open', request, signal, QUESTION_DEADLINE_MS),
    [Symbol.dispose]() {
      for (const one of [questions, sent, reads]) one[Symbol.dispose]()
    },
  }
}

/** The deadline ends with the response, or with its head if the body stays open. */
async function inTime<How extends 'ask' | 'open'>(
  client: S3Client,
  how: How,
  request: S3Request,
  signal: AbortSignal,
  deadlineMs: number,
): Promise<Awaited<ReturnType<S3Client[How]>>> {
  signal.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), deadlineMs)
  try {
    const answer = await client[how](request, AbortSignal.any([signal, late.signal]))
    return answer as Awaited<ReturnType<S3Client[How]>>
  } catch (error) {
    signal.throwIfAborted()
    throw failureOf(error, { isLate: late.signal.aborted })
  } finally {
    clearTimeout(timer)
  }
}
