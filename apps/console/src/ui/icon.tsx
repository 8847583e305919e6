const paths = {
  close: 'M5 5l10 10M15 5L5 15',
  file: 'M5 2.5h6.5l4 4v11H5zM11.5 2.5v4h4',
  folder: 'M2.5 4.5h5l1.5 2h8.5v9h-15z',
  lock: 'M4.5 9h11v8h-11zM7 9V6a3 3 0 0 1 6 0v3',
  menu: 'M3 5h14M3 10h14M3 15h14',
} as const

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
