/** A JetStream stream as plain data. Size and age apply to new streams; operators can change them. */
export interface StreamDefinition {
  name: string
  subjects: readonly string[]
  retention: 'workqueue' | 'limits'
  discard: 'new' | 'old'
  maxMsgsPerSubject: number | null
  discardNewPerSubject: boolean
  maxAgeSeconds: number | null
  maxBytes: number
  duplicateWindowSeconds: number
}

/** A durable pull consumer. Explicit acks, unlimited deliveries, no backoff list: retries live in rows. */
export interface ConsumerDefinition {
  durable: string
  stream: string
  filterSubject: string
  ackWaitSeconds: number
  maxAckPending: number
}

const GIB = 1024 ** 3

/**
 * JOBS keeps one message per file and kind and rejects a second, so a due row can be enqueued any number of times
 * (docs/explain/life-of-a-file.md §1.7). EVENTS keeps seven days for consumers that start later, and drops the oldest
 * message when it is full. If it rejected new messages, one absent consumer would block the events of all others.
 */
export const streams = {
  jobs: {
    name: 'JOBS',
    subjects: ['jobs.>'],
    retention: 'workqueue',
    discard: 'new',
    maxMsgsPerSubject: 1,
    discardNewPerSubject: true,
    maxAgeSeconds: null,
    maxBytes: 2 * GIB,
    duplicateWindowSeconds: 120,
  },
  events: {
    name: 'EVENTS',
    subjects: ['events.>'],
    retention: 'limits',
    discard: 'old',
    maxMsgsPerSubject: null,
    discardNewPerSubject: false,
    maxAgeSeconds: 7 * 24 * 3600,
    maxBytes: 8 * GIB,
    duplicateWindowSeconds: 120,
  },
} as const satisfies Record<string, StreamDefinition>

const ofJobs = { stream: 'JOBS', ackWaitSeconds: 60, maxAckPending: 1000 } as const

export const consumers = {
  rehydrate: { durable: 'rehydrate', filterSubject: 'jobs.rehydrate.v1.*', ...ofJobs },
  evict: { durable: 'evict', filterSubject: 'jobs.evict.v1.*', ...ofJobs },
  fanOut: {
    durable: 'webhooks-fan-out',
    stream: 'EVENTS',
    filterSubject: 'events.*.*.v1.*',
    ackWaitSeconds: 30,
    maxAckPending: 1000,
  },
} as const satisfies Record<string, ConsumerDefinition>

/** The queues of one network. Its outage delays no other work. */
export function networkConsumers(network: string): { store: ConsumerDefinition; prove: ConsumerDefinition } {
  return {
    store: { durable: `store-${network}`, filterSubject: `jobs.store.v1.${network}.*`, ...ofJobs },
    prove: { durable: `prove-${network}`, filterSubject: `jobs.prove.v1.${network}.*`, ...ofJobs },
  }
}
