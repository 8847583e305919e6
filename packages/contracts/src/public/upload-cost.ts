import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { idOrUnknown } from './id.ts'
import { instant } from './list.ts'

export const readUploadCost = endpoint({
  method: 'POST',
  path: '/api/files/upload/cost',
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'Estimate the cost of an upload',
  description:
    'Billed bytes, lease, and (if prices are configured) cost of a file of this size on each storage network that would keep a copy. Creates nothing.',
  body: z.object({
    sizeBytes: z
      .int()
      .nonnegative()
      .meta({ examples: [482_113] }),
    vaultId: idOrUnknown,
  }),
  success: {
    status: 200,
    schema: z
      .object({
        sizeBytes: z.int(),
        networks: z.array(
          z.object({
            network: z.string(),
            driver: z.enum(['embedded', 's3', 'ipfs', 'walrus']),
            billedBytes: z.int().describe('Bytes that the network bills for the copy'),
            leaseExpiresAt: instant
              .nullable()
              .describe('When the lease of a copy stored now would expire; leases are renewed. Null: no lease'),
            costPerMonth: z.number().nullable().describe('In `currency`; null without a configured price'),
          }),
        ),
        billedBytes: z.int().describe('Sum of all networks'),
        costPerMonth: z.number().nullable().describe('Sum of all networks; null unless each has a price'),
        currency: z.string().nullable().describe('Null without a configured price'),
      })
      .meta({ id: 'UploadCost' }),
  },
  errors: ['not_found', 'too_large'],
})
