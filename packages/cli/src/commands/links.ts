import { type Client, createFileLink, createFolderLink, listLinks, type RevokedLink, revokeLink } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { type Address, parseAddress, prefixOf, requireFolder } from '../remote/address.ts'
import { filesUnder, findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { parseCount } from '../terminal/amounts.ts'
import { readSecret } from '../terminal/ask.ts'

export const link = command({
  name: 'link',
  summary: 'Create a public link to a file or folder',
  description:
    'The link is printed once. It works until it is revoked, or until the limit of --expires-in or --downloads.',
  arguments: { place: { summary: 'VAULT:PATH, VAULT:FOLDER/, or a file ID' } },
  options: {
    expiresIn: { type: 'string', value: 'HOURS', summary: 'Lifetime of the link' },
    downloads: { type: 'string', value: 'N', summary: 'Maximum number of downloads' },
    passwordStdin: { type: 'boolean', summary: 'Protect the link with a password, read from stdin' },
  },
  async run({ place, expiresIn, downloads, passwordStdin }, context) {
    const { output, signal } = context
    const client = await connect(context)
    const limits = {
      ...(expiresIn !== undefined && { expiresInSeconds: parseCount('expires-in', expiresIn, 87_600) * 3600 }),
      ...(downloads !== undefined && { maxDownloads: parseCount('downloads', downloads, 1_000_000) }),
      ...(passwordStdin && { password: await readSecret(context, 'Password', true, '', true) }),
    }
    const address = parseAddress(place)
    const file = await findFile(client, address, signal)
    const made = file
      ? await createFileLink(client, { fileId: file.id, ...limits }, { signal })
      : await createFolderLink(client, { ...(await findFolder(client, address, signal)), ...limits }, { signal })
    await output.result(made, made.url)
    output.remark(`Save the link ${made.id} now: it is not shown again`)
  },
})

/** A mistyped file name would link to a future folder, so a folder without files must be named with a slash. */
async function findFolder(client: Client, address: Address, signal: AbortSignal) {
  const { vault, path } = requireFolder(address)
  const { id: vaultId } = await findVault(client, vault, signal)
  const isMeant = path === '' || path.endsWith('/')
  if (!isMeant && (await filesUnder(client, vaultId, path, signal).next()).done)
    throw new Error(`No file or folder found at ${vault}:${path}. To link an empty folder, use ${vault}:${path}/`)
  return { vaultId, prefix: prefixOf(path) }
}

export const links = command({
  name: 'links',
  summary: 'List links',
  async run(_, context) {
    const listed = listLinks(await connect(context), { limit: 100 }, { signal: context.signal })
    for await (const one of listed) await context.output.result(one, line(one))
  },
})

export const linksRevoke = command({
  name: 'links revoke',
  summary: 'Revoke a link',
  arguments: { id: { summary: 'ID of the link' } },
  async run({ id }, context) {
    const revoked = await revokeLink(await connect(context), { linkId: id }, { signal: context.signal })
    await context.output.result(revoked, line(revoked))
  },
})

const line = ({ id, kind, state, downloads, maxDownloads, expiresAt, fileId, vaultId, prefix, upload }: RevokedLink) =>
  kind === undefined ? `${id}  ${state}` : [id, (upload ? `${kind} ${upload.received}` : kind).padEnd(14), state.padEnd(7), `${downloads}/${maxDownloads ?? '∞'}`, expiresAt ?? '-', fileId ?? `${vaultId}:${prefix}`].join('  ') // biome-ignore format: one line of text
