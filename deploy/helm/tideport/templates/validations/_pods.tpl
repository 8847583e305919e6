{{/* Pods: resources, replacement, scaling, and names that the chart uses itself. */}}
{{- define "tideport.faults.pods" -}}
{{- $components := include "tideport.components" . | fromYaml }}
{{- range $name := concat (keys $components | sortAlpha) (list "jobs" "toolbox" "smokeTest") }}
{{- $values := include "tideport.component" (dict "root" $ "name" $name) | fromYaml }}
{{- include "tideport.faults.resources" (dict "root" $ "name" $name "resources" $values.resources) }}
{{- include "tideport.faults.ownNames" (dict "name" $name "values" $values "ports" (list 9090 (default 0 (get (default dict (get $components $name)) "port")) (default 0 (get (default dict (get $components $name)) "s3Port")))) }}
{{- if hasKey $components $name }}
{{- include "tideport.faults.replacement" (dict "root" $ "name" $name "values" $values) }}
{{- include "tideport.faults.scaling" (dict "root" $ "name" $name "values" $values) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Takes root, name and resources. */}}
{{- define "tideport.faults.resources" -}}
{{- $limits := .resources.limits | default dict }}
{{- range $resource, $request := .resources.requests }}
{{- $limit := get $limits $resource }}
{{- if not (or (kindIs "invalid" $request) (kindIs "invalid" $limit) (eq (toString $limit) "")) }}
{{- if lt (include "tideport.amount" $limit | float64) (include "tideport.amount" $request | float64) }}
{{- $where := list (include "tideport.ownerOf" (dict "root" $.root "name" $.name "group" "resources" "key" "limits")) (include "tideport.ownerOf" (dict "root" $.root "name" $.name "group" "resources" "key" "requests")) }}
{{ first $where }}.resources.limits.{{ $resource }}: {{ include "tideport.string" $limit }} is below {{ last $where }}.resources.requests.{{ $resource }}, which is {{ include "tideport.string" $request }}. Raise the limit or lower the request{{ if ne (first $where) (last $where) }} of {{ $.name }}{{ end }}.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where a value of a component comes from: its own values or `defaults`. Takes root, name, group, and key. */}}
{{- define "tideport.ownerOf" -}}
{{- $own := get (index .root.Values .name) .group | default dict }}
{{- ternary .name "defaults" (hasKey $own .key) }}
{{- end }}

{{/* A quantity of Kubernetes as a number. */}}
{{- define "tideport.amount" -}}
{{- $text := toString . }}
{{- $number := regexFind "^[0-9.]+([eE][+-]?[0-9]+)?" $text }}
{{- $factors := dict "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 }}
{{- mulf (float64 $number) (get $factors (trimPrefix $number $text) | default 1.0) }}
{{- end }}

{{/* Takes name, values (merged) and ports (of the chart's container). */}}
{{- define "tideport.faults.ownNames" -}}
{{- $containers := list .name }}
{{- range concat (default list .values.extraInitContainers) (default list .values.extraContainers) }}
{{- if has .name $containers }}
{{ $.name }}.extraContainers: the container name {{ .name }} is used twice. Choose another name.
{{- end }}
{{- $containers = append $containers .name }}
{{- end }}
{{- range .values.extraContainers }}
{{- $container := .name }}
{{- range .ports }}
{{- if has (int .containerPort) $.ports }}
{{ $.name }}.extraContainers: {{ $container }} listens on port {{ int .containerPort }}, which {{ $.name }} uses. Choose another port.
{{- end }}
{{- end }}
{{- end }}
{{- $volumes := list "tmp" "ca" "nats" "network" }}
{{- range .values.extraVolumes }}
{{- if has .name $volumes }}
{{ $.name }}.extraVolumes: the volume name {{ .name }} is used twice. Choose another name.
{{- end }}
{{- $volumes = append $volumes .name }}
{{- end }}
{{- end }}

{{/* Takes root, name and values (merged). */}}
{{- define "tideport.faults.replacement" -}}
{{- $none := list "0" "0%" }}
{{- $evicted := include "tideport.string" .values.pdb.maxUnavailable }}
{{- if and .values.pdb.enabled (has $evicted $none) }}
{{- $owner := include "tideport.ownerOf" (dict "root" .root "name" .name "group" "pdb" "key" "maxUnavailable") }}
{{ $owner }}.pdb.maxUnavailable: with {{ $evicted }} no pod could be evicted, so draining a node would never finish. Set it to 1 or more, or set {{ $owner }}.pdb.enabled to false.
{{- end }}
{{- $update := .values.strategy.rollingUpdate | default dict }}
{{- if and (eq .values.strategy.type "RollingUpdate") (has (include "tideport.string" $update.maxSurge) $none) (has (include "tideport.string" $update.maxUnavailable) $none) }}
{{ include "tideport.ownerOf" (dict "root" .root "name" .name "group" "strategy" "key" "rollingUpdate") }}.strategy.rollingUpdate: maxSurge and maxUnavailable are both 0, so no pod could be replaced. Set one of them to 1 or more.
{{- end }}
{{- end }}

{{/* Takes root, name and values (merged). */}}
{{- define "tideport.faults.scaling" -}}
{{- $root := .root }}{{ $name := .name }}{{ $values := .values }}
{{- $scaling := $values.autoscaling }}
{{- $path := printf "%s.autoscaling" $name }}
{{- if ne $scaling.mode "off" }}
{{- $byQueue := and $values.queues (eq $scaling.mode "keda") }}
{{- if gt (int $scaling.min) (int $scaling.max) }}
{{ $path }}.min: {{ int $scaling.min }} is above max, which is {{ int $scaling.max }}. Lower min or raise max.
{{- end }}
{{- if and (not $byQueue) (not $scaling.metrics) (not (default (dict) $values.resources.requests).cpu) }}
{{ $name }}.resources.requests.cpu: autoscaling by CPU needs this request. Set it, or set {{ $path }}.mode to off.
{{- end }}
{{- if $byQueue }}{{ include "tideport.faults.trigger" (dict "root" $root "path" $path "scaling" $scaling) }}{{ end }}
{{- if $values.concurrency }}
{{- $inFlight := int (default 1000 $root.Values.jetstream.streams.jobs.inFlightMax) }}
{{- if and $byQueue (lt (int $scaling.lagPerReplica) (int $values.concurrency)) }}
{{ $path }}.lagPerReplica: {{ int $scaling.lagPerReplica }} is below {{ $name }}.concurrency, which is {{ int $values.concurrency }}. Unfinished jobs count as lag, so busy pods would start more pods. Raise it to {{ int $values.concurrency }} or more.
{{- end }}
{{- if gt (mul (int $scaling.max) (int $values.concurrency)) $inFlight }}
{{ $path }}.max: {{ int $scaling.max }} pods with {{ int $values.concurrency }} jobs each exceed the {{ $inFlight }} unfinished jobs of a queue. Lower max, or raise jetstream.streams.jobs.inFlightMax.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where KEDA reads a queue. Takes root, path and scaling. */}}
{{- define "tideport.faults.trigger" -}}
{{- $dev := .root.Values.dev.nats.enabled }}
{{- if eq .scaling.trigger "prometheus" }}
{{- if not .scaling.prometheus.serverAddress }}
{{ .path }}.prometheus.serverAddress: the trigger prometheus needs the URL of a Prometheus server. Set it.
{{- end }}
{{- else if eq .scaling.trigger "metrics-api" }}
{{- range $name := list "url" "valueLocation" }}
{{- if not (get $.scaling.metricsApi $name) }}
{{ $.path }}.metricsApi.{{ $name }}: the trigger metrics-api needs it. Set it.
{{- end }}
{{- end }}
{{- else if and (not $dev) (not .root.Values.nats.monitoring.endpoint) }}
nats.monitoring.endpoint: KEDA needs it to read queues. Set it to host:port of the NATS monitoring port.
{{- end }}
{{- if and $dev .root.Values.networkPolicy.enabled (not .root.Values.networkPolicy.kedaNamespace) }}
networkPolicy.kedaNamespace: KEDA needs access to dev.nats. Set it to the namespace of KEDA.
{{- end }}
{{- end }}
