import { useLocation, useSearch } from 'wouter-preact'

/** What is shown of a vault, as the address says it. */
export interface Place {
  /** With a slash at its end; empty at the top. */
  folder: string
  /** Part of names; empty: everything in the folder. */
  search: string
  order: 'asc' | 'desc'
}

/** The place that the address says, and the way to another one. */
export function usePlace(vaultId: string): [Place, (change: Partial<Place>) => void] {
  const query = new URLSearchParams(useSearch())
  const [, navigate] = useLocation()
  const folder = query.get('in') ?? ''
  const place: Place = {
    folder: folder === '' || folder.endsWith('/') ? folder : `${folder}/`,
    search: query.get('q') ?? '',
    order: query.get('order') === 'desc' ? 'desc' : 'asc',
  }
  return [place, (change) => navigate(addressOf(vaultId, { ...place, ...change }))]
}

export function addressOf(vaultId: string, { folder = '', search = '', order = 'asc' }: Partial<Place>): string {
  const query = new URLSearchParams()
  if (folder !== '') query.set('in', folder)
  if (search !== '') query.set('q', search)
  if (order !== 'asc') query.set('order', order)
  return `/vaults/${vaultId}${query.size > 0 ? `?${query}` : ''}`
}
