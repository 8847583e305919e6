import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'

export const readOperatorRelease = endpoint({
  method: 'GET',
  path: '/api/operator/release',
  service: 'files',
  access: 'operator',
  summary: 'Read whether a newer release exists',
  description:
    'With the setting `RELEASE_SITE_URL`, the responding process reads the newest release there at most once a day. Without it, no request leaves the installation.',
  success: {
    status: 200,
    schema: z
      .object({
        running: z.string().describe('Version of the responding process'),
        newer: z
          .object({ version: z.string(), notesUrl: z.string().describe('Page with the changes') })
          .nullable()
          .describe('Null: none is known'),
      })
      .meta({ id: 'OperatorRelease' }),
  },
  errors: [],
})
