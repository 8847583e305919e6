import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { copy } from './file-actions.ts'
import { file } from './files.ts'
import { uuid } from './id.ts'
import { instant, pageQuery } from './list.ts'
import { folder } from './paths.ts'
import { vault } from './vaults.ts'

/** The lines of a manifest, version 1 (docs/guides/leave.md): one of the first kind, vaults, files, one of the last kind. */
export const manifestLine = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('tideport-manifest'),
    version: z.literal(1),
    accountId: uuid,
    createdAt: instant,
    networks: z.array(z.object({ name: z.string(), driver: z.string() })),
  }),
  vault.extend({ type: z.literal('vault') }),
  z
    .object({ type: z.literal('folder'), vaultId: uuid, path: folder.shape.path })
    .describe('One that a vault keeps though it may be empty'),
  file.extend({
    type: z.literal('file'),
    isLatest: z.boolean().describe('Whether it stands for its path, which several files may have'),
    copies: z.array(copy.extend({ reference: z.string().describe('What the copy is called on its network') })),
    parts: z
      .array(
        z.object({
          name: z.string().describe('The CAR'),
          offset: z.int().describe('Where in it the blocks begin: leaves in their order, then the nodes of their tree'),
          length: z.int(),
          cid: z.string().describe('The root of the tree'),
          sizeBytes: z.int().describe('Of the file'),
        }),
      )
      .optional()
      .describe('In an export: where the bytes are, one behind the other; left out: they were lost'),
    cursor: z.string().optional().describe('In the answer of the API: what goes on behind this line'),
  }),
  z.object({ type: z.literal('end'), vaults: z.int(), files: z.int(), bytes: z.int() }),
])
export type ManifestLine = z.infer<typeof manifestLine>

export const readManifest = endpoint({
  method: 'GET',
  path: '/api/account/manifest',
  service: 'files',
  access: 'files:read',
  summary: 'Read the manifest of your account',
  description:
    'One JSON object a line: your vaults and all confirmed files outside the trash, each with its record and where its copies lie, so that everything can be had from the storage networks without this service. The last line has the type `end`; without it the manifest was cut: ask again with the `cursor` of the last whole line that has one, and put the answer behind that line.',
  query: z.object({
    cursor: pageQuery.cursor.describe('Of a line of a manifest that was cut: what is answered goes on behind it'),
  }),
  success: { status: 200, bytes: true },
  errors: ['unavailable'],
})
