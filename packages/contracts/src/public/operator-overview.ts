import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { instant } from './list.ts'

const forOperators = { service: 'files', access: 'operator' } as const

const seconds = z.number().min(0)

/** Statuses whose age is reported. Cold is excluded, because files stay cold. */
const ages = z.object({ uploading: seconds, hot: seconds, synced: seconds, error: seconds })

const overview = z
  .object({
    takenAt: instant.nullable().describe('When the figures were collected: seconds to minutes ago'),
    files: z
      .object({ uploading: z.int(), hot: z.int(), synced: z.int(), cold: z.int(), error: z.int() })
      .nullable()
      .describe('Files outside the trash by their status'),
    oldestSeconds: ages.nullable().describe('How long the oldest file has had its status; 0 without files'),
    hotBytes: z.int().nullable(),
    due: z
      .array(z.object({ queue: z.string().describe('e.g. `evict`, `store-disk-a`'), oldestSeconds: seconds }))
      .nullable()
      .describe('How long the oldest due work of each queue has been due; 0 without due work'),
    unfinishedClaimsMax: z
      .int()
      .nullable()
      .describe('Largest number of consecutive attempts at one file without an outcome'),
    copies: z
      .array(
        z.object({
          network: z.string(),
          left: z.int().nullable().describe('Copies that remain on a leaving network; up to 1,000,000'),
          lost: z.int().nullable().describe('Copies that were lost and are not stored again yet; up to 1,000,000'),
        }),
      )
      .nullable(),
    deadLetters: z
      .object({
        files: z.int().nullable().describe('Files in error'),
        copies: z.int().nullable().describe('Permanently failed copies of otherwise healthy files, up to 10,000'),
        events: z.int().nullable().describe('Invalid events; up to 100,000'),
      })
      .describe('Dead letters, without deliveries of webhooks'),
    events: z
      .object({ unpublished: z.int().describe('Up to 100,000'), oldestSeconds: seconds, resendLeftSeconds: seconds })
      .nullable(),
    jobs: z.object({ open: z.int().describe('Up to 100,000'), oldestSeconds: seconds }).nullable(),
    violations: z
      .record(z.string(), z.int())
      .nullable()
      .describe('Files whose row violates an invariant, by invariant'),
  })
  .meta({ id: 'OperatorOverview' })

export const readOperatorOverview = endpoint({
  method: 'GET',
  path: '/api/operator/overview',
  ...forOperators,
  summary: 'Read the state of the installation',
  description:
    'Figures of all files, which one process collects in the background. Figures that were unavailable or are older than ten minutes are null.',
  success: { status: 200, schema: overview },
  errors: [],
})

const network = z
  .object({
    name: z.string(),
    driver: z.string().nullable().describe('Null: not configured'),
    role: z.enum(['required', 'leaving']).nullable().describe('Null: not configured, but has copies'),
    works: z.boolean().nullable().describe('Null: not configured, or no response yet'),
    fault: z.string().nullable().describe('Why the network does not work, as a word, if known'),
    freeBytes: z.int().nullable().describe('Free bytes of its volume'),
    totalBytes: z.int().nullable(),
    reserveBytes: z.int().nullable().describe('The network accepts no copies while fewer bytes are free'),
    copiesLeft: z.int().nullable(),
    copiesLost: z.int().nullable(),
  })
  .meta({ id: 'OperatorNetwork' })

const circuit = z
  .object({
    service: z.string(),
    process: z.string().describe('Identifies a process of the service'),
    needs: z.string().describe('The unavailable dependency: a network, or `hot_tier` for the bucket and Postgres'),
    openedAt: instant,
  })
  .meta({ id: 'OperatorCircuit' })

export const readOperatorNetworks = endpoint({
  method: 'GET',
  path: '/api/operator/networks',
  ...forOperators,
  summary: 'Read the state of the storage networks',
  description:
    'The responding process queries each network for at most ten seconds; other processes may reach different networks. The result of a slow network is in a later response.',
  success: {
    status: 200,
    schema: z.object({
      networks: z.array(network).describe('In order of preference'),
      hotTier: z.object({ works: z.boolean() }),
      openCircuits: z
        .array(circuit)
        .describe('Workers that wait for an unavailable dependency; reported within seconds'),
    }),
  },
  errors: [],
})
