import { essenceOf } from '@tideport/contracts/public/mime-type'
import { type Html, html, sizeText } from './html.ts'
import { pageOf, withPeriod } from './layout.ts'
import { type Terms, termsHtml } from './terms.ts'

interface ShownUpload extends Terms {
  token: string
  takes: { filesLeft: number; maxFileBytes: number; mimeTypes: string[] | null; received: 'review' | 'publish' }
  received: { name: string; sizeBytes: number } | null
  /** The reason why the last upload was rejected. */
  problem?: string
  up?: string
}

export function uploadPage(upload: ShownUpload): string {
  const { received, problem, takes } = upload
  const thanks =
    received &&
    html`<p role="status"><bdi>${received.name}</bdi> (${sizeText(received.sizeBytes)}) has been received. Thank you.</p>`
  const isFull = takes.filesLeft <= 0 || takes.maxFileBytes <= 0
  return pageOf(
    received ? 'File received' : 'Send a file',
    html`<h1>${received ? 'File received' : 'Send a file'}</h1>
${thanks}
${problem === undefined ? null : html`<p class="alarm" role="alert">${withPeriod(problem)}</p>`}
${isFull ? html`<p class="soft">This link accepts no more files.</p>` : formHtml(upload)}
${termsHtml(upload)}`,
  )
}

const readers = {
  review: 'Only the owner of this link can see your files until the owner publishes them.',
  publish: 'Your files are public immediately: everyone can read them.',
}

function formHtml({ token, takes, up = '' }: ShownUpload): Html {
  const { filesLeft, maxFileBytes, mimeTypes, received } = takes
  // The `accept` attribute does not support parameters or a wildcard for all types.
  const essences = [...new Set(mimeTypes?.map(essenceOf) ?? ['*/*'])]
  const accept = essences.includes('*/*') ? null : essences.join(',')
  const types = mimeTypes === null ? '' : `, ${mimeTypes.join(', ')}`
  return html`<p class="soft">${filesLeft === 1 ? 'One file' : `Up to ${filesLeft} files, one at a time`}, ${sizeText(maxFileBytes)} at most${types}. ${readers[received]}</p>
<form method="post" enctype="multipart/form-data" action="${up}${token}/content">
<label for="file">File</label>
<input id="file" name="file" type="file" required${accept === null ? null : html` accept="${accept}"`}>
<button>Send</button>
</form>`
}
