/**
 * Encodes names that the service or a disk cannot store (docs/reference/cli.md#encoded-names). As in rclone, a
 * full-width form replaces a character, and a quote before a form means the form itself. Both directions are inverse
 * for all names.
 */
const QUOTE = '\u201b'

interface Rules {
  forbidden: RegExp
  forms: RegExp
  /** Windows drops trailing dots and spaces, and reserves the names of devices. */
  isWindows: boolean
}

export interface NameCodec {
  toService(path: string): string
  toLocal(path: string): string
}

// No disk allows a null character in a name, so its form is always literal.
const ofService: Rules = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are it
  forbidden: /\u201b*[\x01-\x1f\x7f-\x9f\\]/g,
  forms: /\u201b*[\u2401-\u241f\u2421\ue080-\ue09f\uff3c]/g,
  isWindows: false,
}
const ofUnix: Rules = { forbidden: /(?!)/g, forms: /(?!)/g, isWindows: false }
const ofWindows: Rules = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are it
  forbidden: /\u201b*[\x01-\x1f<>:"|?*\\]/g,
  // NFC combines an angle bracket and U+0338 into one character.
  forms: /\u201b*(?:[\u2401-\u241f\uff02\uff0a\uff1a\uff1f\uff3c\uff5c]|[\uff1c\uff1e](?!\u0338))/g,
  isWindows: true,
}
/** Trailing characters that Windows drops. `.` and `..` are not file names. */
const dropped = /^(?!\.{1,2}\u201b*$).*[. ]\u201b*$/s
const device = /^\u201b*(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\xb9\xb2\xb3]) *(?:\.|$)/i

export const encodeNamesOption = {
  type: 'boolean',
  summary: 'Encode names that the service or the local disk cannot store, and decode encoded names',
} as const

const plainNames: NameCodec = { toService: (path) => path, toLocal: (path) => path }

export const namesBy = (isEncoding: boolean, folder: string): NameCodec =>
  isEncoding ? nameCodec(process.platform, folder) : plainNames

export function nameCodec(platform: NodeJS.Platform = process.platform, folder = ''): NameCodec {
  const ofDisk = platform === 'win32' ? ofWindows : ofUnix
  const toForeign = (part: string) => encode(decode(part, ofDisk), ofService)
  const toOwn = (part: string) => encode(decode(part, ofService), ofDisk)
  const inService = (part: string, isAlone: boolean) => fitsService(part, isAlone && folder === '')
  // Windows counts UTF-16 units.
  const sizeOf = (name: string) => (ofDisk.isWindows ? name.length : Buffer.byteLength(name))
  const onDisk = (part: string) => sizeOf(toOwn(part)) <= PART_BYTES_MAX
  return {
    toService: (path) => refold(eachPart(path, toForeign), { from: onDisk, to: inService }),
    toLocal: (path) => eachPart(refold(path, { from: inService, to: onDisk }), toOwn),
  }
}

const eachPart = (path: string, change: (part: string) => string): string => path.split('/').map(change).join('/')

function encode(part: string, { forbidden, forms, isWindows }: Rules): string {
  // A form in the original name gets an odd number of quotes; a form for a character gets an even number.
  const written = part
    .replace(forms, (found) => QUOTE.repeat(found.length) + found)
    .replace(forbidden, (found) => QUOTE.repeat(2 * (found.length - 1)) + formOf(found.at(-1) as string))
  return isWindows ? written.replace(dropped, `$&${QUOTE}`).replace(device, `${QUOTE}$&`) : written
}

function decode(written: string, { forms, isWindows }: Rules): string {
  const kept = isWindows
    ? written.replace(device, (found) => found.slice(1)).replace(dropped, (found) => found.slice(0, -1))
    : written
  return kept.replace(forms, (found) => {
    const [quotes, form] = [found.length - 1, found.at(-1) as string]
    return QUOTE.repeat(Math.floor(quotes / 2)) + (quotes % 2 === 1 ? form : letterOf(form))
  })
}

/**
 * A picture of a control character, or the full-width form. Other control characters have neither and use a private-use
 * character.
 */
function formOf(letter: string): string {
  const code = letter.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return String.fromCharCode(code < 0x7f ? 0xfee0 + code : 0xe000 + code)
}

function letterOf(form: string): string {
  const code = form.charCodeAt(0)
  if (code === 0x2421) return '\x7f'
  if (code < 0x2421) return String.fromCharCode(code - 0x2400)
  return String.fromCharCode(code >= 0xff01 ? code - 0xfee0 : code - 0xe000)
}

export function unstorable(path: string): string | null {
  const parts = path.split('/')
  const what = parts.some((part) => part.search(ofService.forbidden) >= 0)
    ? 'contains a control character or a backslash'
    : parts.some((part) => !fitsService(part, parts.length === 1))
      ? `has a part longer than ${PART_BYTES_MAX} bytes`
      : null
  return what && `The service cannot store a path that ${what}. Rename the file, or use --encode-names`
}

/** Maximum bytes of a path part, in the service and on most disks. */
const PART_BYTES_MAX = 255
const PIECE_BYTES = PART_BYTES_MAX - 6
const [FIRST, NEXT, LAST] = ['\uff0b', '\uff1d', '\uff0d']

const piecesOrPart = new RegExp(`${FIRST}[^/]+(?:/${NEXT}[^/]*)*/${LAST}[^/]+|[^/]+`, 'g')
const quotedPieces = new RegExp(`^(.*?)((?:/${NEXT})*)(/${LAST}[^/]+)$`, 's')

/** Whether a side stores a name in one part; `isAlone`: the path has no other part. */
type Fits = (name: string, isAlone: boolean) => boolean

/** A name at the top of a vault is limited to 255 characters instead. */
function fitsService(name: string, isAtTop: boolean): boolean {
  return Buffer.byteLength(name) <= PART_BYTES_MAX || (isAtTop && [...name].length <= PART_BYTES_MAX)
}

/**
 * Translates a path to the other side: splits a name that is too long there, and joins pieces into a name. If the other
 * side already has these pieces with another meaning, adds an empty piece before the last, so that different paths stay
 * different.
 */
function refold(path: string, { from, to }: { from: Fits; to: Fits }): string {
  return path.replace(piecesOrPart, (found) => {
    const isAlone = found === path
    const fitting = (part: string) => (to(part, isAlone && part === found) ? part : split(part))
    const [, head, quotes = '', tail = ''] = quotedPieces.exec(found) ?? []
    if (head === undefined) return fitting(found)
    const pieces = head + tail
    const name = pieces.replaceAll(/(^|\/)./g, '')
    const isWanted = to(name, isAlone)
    if (isWanted === from(name, isAlone) || split(name) !== pieces) return found.split('/').map(fitting).join('/')
    if (!isWanted) return `${head}${quotes}/${NEXT}${tail}`
    return quotes === '' ? name : head + quotes.slice(2) + tail
  })
}

function split(name: string): string {
  const size = Buffer.byteLength(name)
  const most = Math.ceil(size / Math.max(2, Math.ceil(size / PIECE_BYTES)))
  const pieces = ['']
  let filled = 0
  for (const letter of name) {
    if (filled >= most) {
      pieces.push('')
      filled = 0
    }
    pieces[pieces.length - 1] += letter
    filled += Buffer.byteLength(letter)
  }
  const markOf = (index: number) => (index === pieces.length - 1 ? LAST : index === 0 ? FIRST : NEXT)
  return pieces.map((piece, index) => markOf(index) + piece).join('/')
}
