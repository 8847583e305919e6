import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { instant } from './list.ts'

export const readAccount = endpoint({
  method: 'GET',
  path: '/api/account',
  service: 'files',
  access: 'account:read',
  summary: 'Read your account',
  description: 'Usage and limits. `usage` includes the trash.',
  success: {
    status: 200,
    schema: z
      .object({
        id: uuid,
        createdAt: instant,
        isOperator: z
          .literal(true)
          .optional()
          .describe(
            'The caller is an operator of the installation and may use `/api/operator`. Missing for API keys other than sessions of the owner',
          ),
        usage: z.object({
          storageBytes: z.int(),
          hotBytes: z.int(),
          fileCount: z.int(),
          vaultCount: z.int(),
          networks: z
            .array(
              z.object({
                network: z.string(),
                copies: z.int(),
                billedBytes: z.int().describe('Bytes that the network bills for the copies: more than the files have'),
              }),
            )
            .describe('Storage networks that have copies of your files, in reading order'),
        }),
        limits: z.object({
          maxPutBytes: z.int(),
          maxFileBytes: z.int(),
          quotaBytes: z.int().nullable(),
          openUploadsMax: z.int(),
        }),
      })
      .meta({ id: 'Account' }),
  },
  errors: [],
})
