/** Written by the exporter of Uptime Kuma 2.0.0-dev.0 (its `server/prometheus.js` and prom-client). */
export const kumaPage = String.raw`# HELP monitor_response_time Monitor Response Time (ms)
# TYPE monitor_response_time gauge
monitor_response_time{monitor_name="Shop",monitor_type="http",monitor_url="https://shop.example/",monitor_hostname="null",monitor_port="null"} 12
monitor_response_time{monitor_name="Say \"hi\"\\ {now}",monitor_type="keyword",monitor_url="https://hi.example/a?b=c",monitor_hostname="null",monitor_port="null"} 12
monitor_response_time{monitor_name="Database",monitor_type="port",monitor_url="https://",monitor_hostname="db.example",monitor_port="5432"} 12
monitor_response_time{monitor_name="Backup",monitor_type="push",monitor_url="https://",monitor_hostname="null",monitor_port="null"} 12
monitor_response_time{monitor_name="Everything",monitor_type="group",monitor_url="https://",monitor_hostname="null",monitor_port="null"} 12
# HELP monitor_status Monitor Status (1 = UP, 0= DOWN, 2= PENDING, 3= MAINTENANCE)
# TYPE monitor_status gauge
monitor_status{monitor_name="Shop",monitor_type="http",monitor_url="https://shop.example/",monitor_hostname="null",monitor_port="null"} 1
monitor_status{monitor_name="Say \"hi\"\\ {now}",monitor_type="keyword",monitor_url="https://hi.example/a?b=c",monitor_hostname="null",monitor_port="null"} 0
monitor_status{monitor_name="Database",monitor_type="port",monitor_url="https://",monitor_hostname="db.example",monitor_port="5432"} 2
monitor_status{monitor_name="Backup",monitor_type="push",monitor_url="https://",monitor_hostname="null",monitor_port="null"} 3
monitor_status{monitor_name="Everything",monitor_type="group",monitor_url="https://",monitor_hostname="null",monitor_port="null"} 1
`
