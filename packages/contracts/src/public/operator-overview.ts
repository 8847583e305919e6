import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { instant } from './list.ts'

const forOperators = { service: 'files', access: 'operator' } as const

const seconds = z.number().min(0)

/** A file's status that has an age: cold is where files stay. */
const ages = z.object({ uploading: seconds, hot: seconds, synced: seconds, error: seconds })

const overview = z
  .object({
    takenAt: instant.nullable().describe('When the figures were taken; they are seconds to minutes old'),
    files: z
      .object({ uploading: z.int(), hot: z.int(), synced: z.int(), cold: z.int(), error: z.int() })
      .nullable()
      .describe('Files outside the trash by their status'),
    oldestSeconds: ages.nullable().describe('How long ago the oldest came into its status; 0 when there is none'),
    hotBytes: z.int().nullable(),
    due: z
      .array(z.object({ queue: z.string().describe('e.g. `evict`, `store-disk-a`'), oldestSeconds: seconds }))
      .nullable()
      .describe('How long the work that waits longest has been due in each queue; 0 when none is'),
    unfinishedClaimsMax: z
      .int()
      .nullable()
      .describe('The most attempts in a row at one file that ended without an outcome'),
    copies: z
      .array(
        z.object({
          network: z.string(),
          left: z
            .int()
            .nullable()
            .describe('Not gone yet from a network that no file is to be on any more; up to 1,000,000'),
          lost: z
            .int()
            .nullable()
            .describe('Lost there, and not stored again yet: those files have a copy less; up to 1,000,000'),
        }),
      )
      .nullable(),
    deadLetters: z
      .object({
        files: z.int().nullable().describe('Files in error'),
        copies: z.int().nullable().describe('Permanently failed copies of otherwise healthy files, up to 10,000'),
        events: z.int().nullable().describe('Events that break their contract, up to 100,000'),
      })
      .describe('What was given up; deliveries of webhooks are not counted'),
    events: z
      .object({ unpublished: z.int().describe('Up to 100,000'), oldestSeconds: seconds, resendLeftSeconds: seconds })
      .nullable(),
    jobs: z.object({ open: z.int().describe('Up to 100,000'), oldestSeconds: seconds }).nullable(),
    violations: z.record(z.string(), z.int()).nullable().describe('Files whose row breaks a promise, by the promise'),
  })
  .meta({ id: 'OperatorOverview' })

export const readOperatorOverview = endpoint({
  method: 'GET',
  path: '/api/operator/overview',
  ...forOperators,
  summary: 'Read how the installation is',
  description:
    'Figures of all files together, taken in the background by one process for all. What could not be had in time, or is older than ten minutes, is null.',
  success: { status: 200, schema: overview },
  errors: [],
})

const network = z
  .object({
    name: z.string(),
    driver: z.string().nullable().describe('Null: not configured'),
    role: z.enum(['required', 'leaving']).nullable().describe('Null: not configured, and there are copies'),
    works: z.boolean().nullable().describe('Null: not configured, or it has not answered yet'),
    fault: z.string().nullable().describe('Why it does not, as a word, where that is known'),
    freeBytes: z.int().nullable().describe('Of its volume'),
    totalBytes: z.int().nullable(),
    reserveBytes: z.int().nullable().describe('Free bytes below which it takes no more copies'),
    copiesLeft: z.int().nullable(),
    copiesLost: z.int().nullable(),
  })
  .meta({ id: 'OperatorNetwork' })

const circuit = z
  .object({
    service: z.string(),
    process: z.string().describe('Tells processes of a service apart'),
    needs: z.string().describe('A network, or `hot_tier`: the bucket and Postgres'),
    openedAt: instant,
  })
  .meta({ id: 'OperatorCircuit' })

export const readOperatorNetworks = endpoint({
  method: 'GET',
  path: '/api/operator/networks',
  ...forOperators,
  summary: 'Read how the storage networks are',
  description:
    'Each network is asked, for ten seconds at most, by the process that answers; another one may reach what it does not. What a slow one says is in one of the next answers.',
  success: {
    status: 200,
    schema: z.object({
      networks: z.array(network).describe('In the order in which they are preferred'),
      hotTier: z.object({ works: z.boolean() }),
      openCircuits: z
        .array(circuit)
        .describe('Workers that take no work now because of what they need; told within seconds'),
    }),
  },
  errors: [],
})
