import { useLocation, useSearch } from 'wouter-preact'

export interface Place {
  /** With a trailing slash; empty at the top. */
  folder: string
  /** Part of a name. With a search or with labels, files of the complete vault are shown. */
  search: string
  /** Tags, and metadata pairs as `key=value`. A file must have all of them. */
  labels: readonly string[]
  order: 'asc' | 'desc'
}

/** `replace` replaces the current entry of the history; `state` is kept in the new one. */
export type Go = (change: Partial<Place>, options?: { replace?: boolean; state?: object }) => void

export const isFiltered = ({ search, labels }: Place): boolean => search !== '' || labels.length > 0

export function usePlace(vaultId: string): [Place, Go] {
  const place = placeOf(useSearch())
  const [, navigate] = useLocation()
  return [place, (change, options) => navigate(addressOf(vaultId, { ...place, ...change }), options)]
}

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
