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
  description: 'Usage and limits. `usage` counts what is in the trash as well.',
  success: {
    status: 200,
    schema: z
      .object({
        id: uuid,
        createdAt: instant,
        isOperator: z
          .literal(true)
          .optional()
          .describe('The caller is an operator of the installation and may use `/api/operator`. Never by an API key'),
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
                billedBytes: z.int().describe('What the network bills for them: more than the bytes of the files'),
              }),
            )
            .describe('Storage networks that have copies of your files, in the order in which they are read'),
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
