{{/* Access: Ingress, HTTPRoute, Service, metrics, traces, and the ServiceAccount. */}}
{{- define "tideport.faults.access" -}}
{{- $values := .Values }}
{{- $gateway := $values.gateway }}
{{- $ingress := $gateway.ingress }}{{ $route := $gateway.httpRoute }}
{{- if and $ingress.enabled (not $ingress.hosts) }}
gateway.ingress.hosts: an Ingress needs a host. Add the host of config.publicUrl.
{{- end }}
{{- if and $route.enabled (not $route.parentRefs) }}
gateway.httpRoute.parentRefs: an HTTPRoute needs a Gateway. Name it.
{{- end }}
{{- $hosts := list }}
{{- if $ingress.enabled }}{{ $hosts = concat $hosts $ingress.hosts }}{{ end }}
{{- if $route.enabled }}{{ $hosts = concat $hosts (default (list "*") $route.hostnames) }}{{ end }}
{{- $host := (urlParse $values.config.publicUrl).hostname | lower }}
{{- if and $hosts (not (include "tideport.coversHost" (dict "hosts" $hosts "host" $host))) }}
{{- $path := ternary "gateway.ingress.hosts" "gateway.httpRoute.hostnames" $ingress.enabled }}
{{ $path }}: {{ $host }}, the host of config.publicUrl, is missing, so clients would not reach the gateway. Add {{ $host }}, or change config.publicUrl.
{{- end }}
{{- if $ingress.enabled }}
{{- range $index, $tls := $ingress.tls }}
{{- if not $tls.secretName }}
gateway.ingress.tls[{{ $index }}].secretName: the certificate is missing. Name the Secret with the certificate.
{{- end }}
{{- range $name := $tls.hosts }}
{{- $isUsed := false }}
{{- range $ingress.hosts }}{{ if include "tideport.coversHost" (dict "hosts" (list $name) "host" .) }}{{ $isUsed = true }}{{ end }}{{ end }}
{{- if not $isUsed }}
gateway.ingress.tls[{{ $index }}].hosts: {{ $name }} is not in gateway.ingress.hosts. Add it there, or remove it here.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- $service := $gateway.service }}
{{- if eq $service.type "ClusterIP" }}
{{- range $name := list "nodePort" "s3NodePort" "externalTrafficPolicy" }}
{{- if get $service $name }}
gateway.service.{{ $name }}: a Service of type ClusterIP cannot have it. Set gateway.service.type to NodePort or LoadBalancer, or remove it.
{{- end }}
{{- end }}
{{- end }}
{{- range $name := list "loadBalancerClass" "loadBalancerSourceRanges" }}
{{- if and (get $service $name) (ne $service.type "LoadBalancer") }}
gateway.service.{{ $name }}: a Service of type {{ $service.type }} has no load balancer. Set gateway.service.type to LoadBalancer, or remove it.
{{- end }}
{{- end }}
{{- $policy := $values.networkPolicy }}
{{- if and $policy.enabled (not $policy.metricsFrom) }}
{{- range $name := list "podMonitor" "serviceMonitor" }}
{{- if (get $values.metrics $name).enabled }}
networkPolicy.metricsFrom: metrics.{{ $name }} needs access to the metrics port. Name the peers of Prometheus.
{{- end }}
{{- end }}
{{- end }}
{{- if and $values.otel.enabled (not $values.otel.endpoint) }}
otel.endpoint: the collector is missing. Set its URL, or set otel.enabled to false.
{{- end }}
{{- $account := $values.serviceAccount }}
{{- if not $account.create }}
{{- if not $account.name }}
serviceAccount.name: the chart does not create a ServiceAccount. Name an existing one, or set serviceAccount.create to true.
{{- end }}
{{- if $account.annotations }}
serviceAccount.annotations: the chart does not change an existing ServiceAccount. Annotate it yourself, or set serviceAccount.create to true.
{{- end }}
{{- end }}
{{- end }}

{{/* Whether one of these host names, which may begin with *, equals or covers a host. Takes hosts and host. */}}
{{- define "tideport.coversHost" -}}
{{- range .hosts }}
{{- if or (eq . "*") (eq . $.host) (and (hasPrefix "*." .) (eq (trimPrefix "*" .) (regexReplaceAll "^[^.]+" $.host ""))) }}true{{ end }}
{{- end }}
{{- end }}
