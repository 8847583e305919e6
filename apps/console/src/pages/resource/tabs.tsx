import { Link, useLocation } from 'wouter-preact'

/** Links between pages that share a title. */
export function Tabs({ label, tabs }: { label: string; tabs: Readonly<Record<string, string>> }) {
  const [location] = useLocation()
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries(tabs).map(([path, name]) => (
        <Link key={path} href={path} class="bar-page" aria-current={location === path ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
