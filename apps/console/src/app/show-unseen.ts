import { type ComponentChildren, Fragment, options, type VNode } from 'preact'
import { shown } from '../text/visible.ts'

/** Attributes that users see or hear. */
const readOut = ['title', 'aria-label', 'alt', 'placeholder']

/**
 * Makes invisible characters visible everywhere: names of files, vaults, and keys come from other people, and a
 * direction mark makes one name look like another.
 */
export function showUnseen(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string' || vnode.type === Fragment) change(vnode as VNode<Record<string, unknown>>)
    before?.(vnode)
  }
}

function change({ props }: VNode<Record<string, unknown>>): void {
  for (const name of readOut) if (typeof props[name] === 'string') props[name] = shown(props[name])
  if (props.children !== undefined) props.children = shownIn(props.children)
}

function shownIn(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return shown(children)
  return Array.isArray(children) ? children.map(shownIn) : children
}
