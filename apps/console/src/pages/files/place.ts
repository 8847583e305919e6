import { useLocation, useSearch } from 'wouter-preact'

/** What is shown of a vault, as the address says it. */
export interface Place {
  /** With a slash at its end; empty at the top. */
  folder: string
  /** Part of names; empty: any. With it or with labels, files of the whole vault are shown in place of the folder. */
  search: string
  /** What files are labelled with: tags, and pairs of metadata as `key=value`; all of them. */
  labels: readonly string[]
  order: 'asc' | 'desc'
}

/** `replace`: the place before is not one to come back to. `state`: what its step of the history keeps. */
export type Go = (change: Partial<Place>, options?: { replace?: boolean; state?: object }) => void

export const isFiltered = ({ search, labels }: Place): boolean => search !== '' || labels.length > 0

/** The place that the address says, and the way to another one. */
export function usePlace(vaultId: string): [Place, Go] {
  const place = placeOf(useSearch())
  const [, navigate] = useLocation()
  return [place, (change, options) => navigate(addressOf(vaultId, { ...place, ...change }), options)]
}

/** What an address says behind its question mark. */
export function placeOf(search: string): Place {
  const query = new URLSearchParams(search)
  const folder = query.get('in') ?? ''
  return {
    folder: folder === '' || folder.endsWith('/') ? folder : `${folder}/`,
    search: query.get('q') ?? '',
    labels: query.getAll('label'),
    order: query.get('order') === 'desc' ? 'desc' : 'asc',
  }
}

export function addressOf(
  vaultId: string,
  { folder = '', search = '', labels = [], order = 'asc' }: Partial<Place>,
): string {
  const query = new URLSearchParams()
  if (folder !== '') query.set('in', folder)
  if (search !== '') query.set('q', search)
  for (const label of labels) query.append('label', label)
  if (order !== 'asc') query.set('order', order)
  return `/vaults/${vaultId}${query.size > 0 ? `?${query}` : ''}`
}
