interface MeasureProps {
  label: string
  value: number
  max: number
  children: string
}

export function Measure({ label, value, max, children }: MeasureProps) {
  return (
    <div class="measure">
      <meter aria-label={label} min={0} max={Math.max(max, 1)} value={Math.min(value, max)}>
        {children}
      </meter>
      <span>{children}</span>
    </div>
  )
}
