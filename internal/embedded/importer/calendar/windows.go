package calendar

import "strings"

// windowsZones are the zones that Windows, and so Outlook, calls otherwise than the world does (Unicode CLDR, windowsZones.xml).
var windowsZones = func() map[string]string {
	zones := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(windowsNames), "\n") {
		name, zone, _ := strings.Cut(line, "=")
		zones[name] = zone
	}
	return zones
}()

const windowsNames = `
UTC=Etc/UTC
GMT Standard Time=Europe/London
Greenwich Standard Time=Atlantic/Reykjavik
W. Europe Standard Time=Europe/Berlin
Central Europe Standard Time=Europe/Budapest
Central European Standard Time=Europe/Warsaw
Romance Standard Time=Europe/Paris
E. Europe Standard Time=Europe/Chisinau
FLE Standard Time=Europe/Kiev
GTB Standard Time=Europe/Bucharest
Turkey Standard Time=Europe/Istanbul
Russian Standard Time=Europe/Moscow
Belarus Standard Time=Europe/Minsk
Kaliningrad Standard Time=Europe/Kaliningrad
Eastern Standard Time=America/New_York
US Eastern Standard Time=America/Indianapolis
Central Standard Time=America/Chicago
Canada Central Standard Time=America/Regina
Mountain Standard Time=America/Denver
US Mountain Standard Time=America/Phoenix
Pacific Standard Time=America/Los_Angeles
Alaskan Standard Time=America/Anchorage
Hawaiian Standard Time=Pacific/Honolulu
Atlantic Standard Time=America/Halifax
Newfoundland Standard Time=America/St_Johns
Central Standard Time (Mexico)=America/Mexico_City
SA Pacific Standard Time=America/Bogota
SA Western Standard Time=America/La_Paz
SA Eastern Standard Time=America/Cayenne
Pacific SA Standard Time=America/Santiago
E. South America Standard Time=America/Sao_Paulo
Argentina Standard Time=America/Buenos_Aires
Venezuela Standard Time=America/Caracas
Israel Standard Time=Asia/Jerusalem
Egypt Standard Time=Africa/Cairo
South Africa Standard Time=Africa/Johannesburg
E. Africa Standard Time=Africa/Nairobi
W. Central Africa Standard Time=Africa/Lagos
Morocco Standard Time=Africa/Casablanca
Arab Standard Time=Asia/Riyadh
Arabian Standard Time=Asia/Dubai
Arabic Standard Time=Asia/Baghdad
Iran Standard Time=Asia/Tehran
Pakistan Standard Time=Asia/Karachi
India Standard Time=Asia/Calcutta
Sri Lanka Standard Time=Asia/Colombo
Nepal Standard Time=Asia/Katmandu
Bangladesh Standard Time=Asia/Dhaka
SE Asia Standard Time=Asia/Bangkok
China Standard Time=Asia/Shanghai
Taipei Standard Time=Asia/Taipei
Singapore Standard Time=Asia/Singapore
W. Australia Standard Time=Australia/Perth
Tokyo Standard Time=Asia/Tokyo
Korea Standard Time=Asia/Seoul
Cen. Australia Standard Time=Australia/Adelaide
AUS Central Standard Time=Australia/Darwin
AUS Eastern Standard Time=Australia/Sydney
E. Australia Standard Time=Australia/Brisbane
Tasmania Standard Time=Australia/Hobart
New Zealand Standard Time=Pacific/Auckland
`
