import type { CreateFolderLinkInput } from '@tideport/sdk'
import { linesIn } from '../../ui/text-field.tsx'

const hour = 3600
const megabyte = 1_000_000

/** How long a link works, in seconds; null: until it is revoked. */
export const lives = {
  hour,
  day: 24 * hour,
  week: 7 * 24 * hour,
  month: 30 * 24 * hour,
  year: 365 * 24 * hour,
  ever: null,
} as const

/** The link that somebody described, by fields that have the API's names. */
export function readNewLink(fields: FormData): CreateFolderLinkInput {
  const said = (name: string) => String(fields.get(name) ?? '')
  const maxDownloads = said('maxDownloads')
  const isUpload = said('kind') === 'upload'
  return {
    vaultId: said('vaultId'),
    prefix: folderIn(said('prefix')),
    expiresInSeconds: lives[said('expiresInSeconds') as keyof typeof lives],
    password: said('password') || null,
    maxDownloads: isUpload || maxDownloads === '' ? null : Number(maxDownloads),
    upload: isUpload ? uploadIn(fields) : null,
  }
}

const uploadIn = (fields: FormData) => ({
  maxFiles: Number(fields.get('maxFiles')),
  maxFileBytes: Number(fields.get('maxFileBytes')) * megabyte,
  maxBytes: Number(fields.get('maxBytes')) * megabyte,
  mimeTypes: linesIn(fields, 'mimeTypes'),
  received: fields.get('received') === 'publish' ? ('publish' as const) : ('review' as const),
})

/** With a slash at its end alone, as the API has it; empty: the whole vault. */
function folderIn(typed: string): string {
  const folder = typed.trim().replace(/^\/+|\/+$/g, '')
  return folder === '' ? '' : `${folder}/`
}
