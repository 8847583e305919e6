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
  summary: 'Read what an upload would cost',
  description:
    'Tells what a file of this size would occupy on each storage network that keeps a copy of it, until when, and what that costs where prices are known. Nothing is created.',
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
            billedBytes: z.int().describe('What the network bills for the copy'),
            leaseExpiresAt: instant
              .nullable()
              .describe('When the lease of a copy that is stored now would end; it is renewed. Null: there is none'),
            costPerMonth: z.number().nullable().describe('In `currency`; null where no price is configured'),
          }),
        ),
        billedBytes: z.int().describe('Of all networks together'),
        costPerMonth: z.number().nullable().describe('Of all together; null unless the price of each is known'),
        currency: z.string().nullable().describe('Null where no price is configured'),
      })
      .meta({ id: 'UploadCost' }),
  },
  errors: ['not_found', 'too_large'],
})
