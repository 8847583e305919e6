import type { NatsLink } from '@tideport/service-kit/nats/nats'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { messageHeaders, sendSpan } from '@tideport/service-kit/telemetry/messaging-span'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import { jobSubject, type Queue, steps } from './steps.ts'

/** JetStream's code for each refused message; only the description differs. */
const NOT_STORED = 10077
const SUBJECT_IS_TAKEN = 'maximum messages per subject exceeded'
const STREAM_IS_FULL = ['maximum bytes exceeded', 'maximum messages exceeded']
/** Without new jobs, the process does not notice that the stream has space again. */
const REFUSAL_HOLDS_MS = 60_000

/** `already_queued`: it waits or is in flight. `full`: the dispatcher enqueues it again. */
export type EnqueueOutcome = 'queued' | 'already_queued' | 'full'

export interface JobQueue {
  /** The row stays due, so a failure loses nothing. Throws when the broker fails. */
  enqueue(queue: Queue, fileId: string): Promise<EnqueueOutcome>
}

/** Reports a full stream in the log and in a metric. */
export function openJobQueue({ nats, log, metrics }: { nats: NatsLink; log: Log; metrics: Metrics }): JobQueue {
  let isFull = false
  let refusedAtMs = 0
  const help = '1 if the stream JOBS rejected the last job of this process within the last minute'
  metrics.show('tideport_jobs_full', help, () => (isFull && performance.now() - refusedAtMs < REFUSAL_HOLDS_MS ? 1 : 0))

  function note(nowFull: boolean): void {
    if (nowFull) refusedAtMs = performance.now()
    if (nowFull === isFull) return
    isFull = nowFull
    if (isFull) log.error('the stream JOBS is full; due files wait for space')
    else log.info('the stream JOBS accepts jobs again')
  }

  return {
    async enqueue(queue, fileId) {
      const { subject } = steps[queue.step].job
      const answer = await inSpan(sendSpan(subject), async (span) => {
        const outcome = await publishJob(nats, queue, fileId)
        span?.setAttribute('tideport.outcome', outcome)
        return outcome
      })
      if (answer === 'queued') metrics.countSent(subject)
      if (answer !== 'already_queued') note(answer === 'full')
      return answer
    },
  }
}

/** Without a Msg-Id: a job sent again soon after its ack would be dropped as a duplicate. */
async function publishJob(nats: NatsLink, queue: Queue, fileId: string): Promise<EnqueueOutcome> {
  try {
    const options = { headers: messageHeaders() }
    const job = JSON.stringify({ fileId, network: queue.network })
    await nats.jetstream().publish(jobSubject(queue, fileId), job, options)
    return 'queued'
  } catch (error) {
    const { code, message = '' } = error as { code?: number; message?: string }
    if (code === NOT_STORED && message === SUBJECT_IS_TAKEN) return 'already_queued'
    if (code === NOT_STORED && STREAM_IS_FULL.includes(message)) return 'full'
    throw error
  }
}
