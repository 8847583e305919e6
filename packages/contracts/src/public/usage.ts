import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { vaultParams } from './vaults.ts'

const DAYS_MAX = 366
const DEFAULT_DAYS = 30
const MS_PER_DAY = 86_400_000

const daysBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * MS_PER_DAY).toISOString().slice(0, 10)

/** The days that are asked for, in UTC, both included. */
export function daysAsked(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  today: string,
): { from: string; to: string } {
  const last = to ?? today
  return { from: from ?? daysBefore(last, DEFAULT_DAYS - 1), to: last }
}

// Aborts, because the comparison of both days throws for text that is no date.
const day = z.iso.date({ abort: true }).refine((text) => text >= '2000', 'Must lie in the years 2000 to 9999')

const days = z
  .object({
    from: day.optional().describe(`The first day, in UTC; ${DEFAULT_DAYS - 1} before the last unless given`),
    to: day.optional().describe('The last day; today unless given'),
  })
  .refine(
    (query) => {
      const { from, to } = daysAsked(query, new Date().toISOString().slice(0, 10))
      return from <= to && from > daysBefore(to, DAYS_MAX)
    },
    { path: ['from'], message: `Must lie on the last day or up to ${DAYS_MAX - 1} before` },
  )

const usageOfDay = z.object({
  day: z.iso.date(),
  fileCount: z.int(),
  storageBytes: z.int(),
})

export const readUsage = endpoint({
  method: 'GET',
  path: '/api/account/usage',
  service: 'files',
  access: 'account:read',
  summary: 'Read your usage by day',
  description:
    'What you had at the end of each day (UTC), and have now, oldest first; the trash is counted. Days are kept for 400 days. ' +
    'Missing are days before your first file, and those on which the service could not write them down.',
  query: days,
  success: {
    status: 200,
    schema: z.object({
      days: z.array(
        usageOfDay
          .extend({
            hotBytes: z.int(),
            addedFiles: z.int().describe('That became hot since the day before that is listed: uploads, and copies'),
            addedBytes: z.int(),
            networks: z.array(z.object({ network: z.string(), copies: z.int(), billedBytes: z.int() })),
          })
          .meta({ id: 'UsageDay' }),
      ),
    }),
  },
  errors: [],
})

export const readVaultUsage = endpoint({
  method: 'GET',
  path: '/api/vaults/:vaultId/usage',
  service: 'files',
  access: 'vaults:read',
  verb: 'read',
  summary: 'Read a vault’s usage by day',
  description:
    'What it had at the end of each day (UTC), and has now, oldest first, without what is in the trash; missing are days on which it was empty, too.',
  params: vaultParams,
  query: days,
  success: { status: 200, schema: z.object({ days: z.array(usageOfDay.meta({ id: 'VaultUsageDay' })) }) },
  errors: ['not_found'],
})
