/** The most bytes of a part of a path, in the service and on most disks. */
export const PART_BYTES_MAX = 255
const PIECE_BYTES = PART_BYTES_MAX - 6
const [FIRST, NEXT, LAST] = ['\uff0b', '\uff1d', '\uff0d']

const piecesOrPart = new RegExp(`${FIRST}[^/]+(?:/${NEXT}[^/]*)*/${LAST}[^/]+|[^/]+`, 'g')
const quotedPieces = new RegExp(`^(.*?)((?:/${NEXT})*)(/${LAST}[^/]+)$`, 's')

/** Whether a side keeps a name in one part; `isAlone`: the path is nothing else. */
type Fits = (name: string, isAlone: boolean) => boolean

/** A name at the top of a vault has 255 characters instead. */
export function fitsService(name: string, isAtTop: boolean): boolean {
  return Buffer.byteLength(name) <= PART_BYTES_MAX || (isAtTop && [...name].length <= PART_BYTES_MAX)
}

/**
 * A path of one side as the other one has it: a name that is too long there in pieces, and pieces as the name. Where the
 * other side has the same pieces under another meaning, an empty one is added before the last, so that no two paths are one.
 */
export function refold(path: string, { from, to }: { from: Fits; to: Fits }): string {
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
