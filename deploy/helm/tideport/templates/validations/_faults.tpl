{{/* All faults of the values, one on each line. Each begins with the path of a value. */}}
{{- define "tideport.faults" -}}
{{- $forms := .Files.Get "files/forms.yaml" | fromYaml }}
{{- $faults := list }}
{{- range $old, $new := $forms.moved }}
{{- if hasKey $.Values $old }}{{ $faults = append $faults (printf "%s: this chart has no such value. Use %s instead." $old $new) }}{{ end }}
{{- end }}
{{- range $forms.required }}{{ $faults = append $faults (include "tideport.faults.required" (dict "values" $.Values "path" .)) }}{{ end }}
{{- $faults = append $faults (include "tideport.faults.form" (dict "value" .Values "form" $forms.values "path" "")) }}
{{- /* The other checks rely on the form of addresses and quantities. */}}
{{- if not (join "" $faults | trim) }}
{{- range list "servers" "access" "storage" "settings" "pods" "merge" }}
{{- $faults = append $faults (include (printf "tideport.faults.%s" .) $) }}
{{- end }}
{{- end }}
{{- /* Components that inherit a value report the same fault of `defaults`. */}}
{{- regexSplit "\\s*\n\\s*" (join "\n" $faults | trim) -1 | uniq | join "\n" }}
{{- end }}

{{/* A required value. A group that is null has one fault. Takes values and path. */}}
{{- define "tideport.faults.required" -}}
{{- $names := splitList "." .path }}{{ $group := .values }}
{{- range initial $names }}{{ if kindIs "map" $group }}{{ $group = get $group . }}{{ end }}{{ end }}
{{- if and (kindIs "map" $group) (kindIs "invalid" (index $group (last $names))) }}
{{ .path }}: must not be null. Set it, or remove it to use the default.
{{- end }}
{{- end }}

{{/* Texts that do not match the patterns of files/forms.yaml. Takes value, form, and path. */}}
{{- define "tideport.faults.form" -}}
{{- $form := .form }}{{ $path := .path }}
{{- if kindIs "map" .value }}
{{- range $name, $value := .value }}
{{- $below := ternary $name (printf "%s.%s" $path $name) (empty $path) }}
{{- with $form.names }}
{{ include "tideport.faults.form" (dict "value" $name "form" . "path" $below) }}
{{- end }}
{{- with get (default dict $form.keys) $name | default $form.others }}
{{ include "tideport.faults.form" (dict "value" $value "form" . "path" $below) }}
{{- end }}
{{- end }}
{{- else if kindIs "slice" .value }}
{{- if $form.each }}
{{- range $index, $value := .value }}
{{ include "tideport.faults.form" (dict "value" $value "form" $form.each "path" (printf "%s[%d]" $path $index)) }}
{{- end }}
{{- end }}
{{- else if and (kindIs "string" .value) $form.pattern }}
{{- if not (regexMatch $form.pattern .value) }}
{{ $path }}: {{ $form.message }}, not {{ .value | toRawJson }}.
{{- end }}
{{- end }}
{{- end }}
