import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { vaultParams } from './vaults.ts'

const DAYS_MAX = 366
const DEFAULT_DAYS = 30
const MS_PER_DAY = 86_400_000

const daysBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * MS_PER_DAY).toISOString().slice(0, 10)

/** The requested days in UTC, both included. */
export function daysAsked(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  today: string,
): { from: string; to: string } {
  const last = to ?? today
  return { from: from ?? daysBefore(last, DEFAULT_DAYS - 1), to: last }
}

// Aborts, because the comparison of both days throws for invalid dates.
const day = z.iso.date({ abort: true }).refine((text) => text >= '2000', 'Must be in the years 2000 to 9999')

const days = z
  .object({
    from: day.optional().describe(`The first day, in UTC; defaults to ${DEFAULT_DAYS - 1} days before the last`),
    to: day.optional().describe('The last day; defaults to today'),
  })
  .refine(
    (query) => {
      const { from, to } = daysAsked(query, new Date().toISOString().slice(0, 10))
      return from <= to && from > daysBefore(to, DAYS_MAX)
    },
    { path: ['from'], message: `Must be the last day or up to ${DAYS_MAX - 1} days before` },
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
    'Usage at the end of each day (UTC) and now, oldest first, including the trash. Kept for 400 days. ' +
    'Days before your first file, and days of an outage, are missing.',
  query: days,
  success: {
    status: 200,
    schema: z.object({
      days: z.array(
        usageOfDay
          .extend({
            hotBytes: z.int(),
            addedFiles: z.int().describe('Uploads and copies that became hot since the previous listed day'),
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
    'Usage at the end of each day (UTC) and now, oldest first, without the trash. Days on which the vault was empty are missing, too.',
  params: vaultParams,
  query: days,
  success: { status: 200, schema: z.object({ days: z.array(usageOfDay.meta({ id: 'VaultUsageDay' })) }) },
  errors: ['not_found'],
})
