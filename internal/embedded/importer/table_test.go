package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

func TestTables(t *testing.T) {
	type row = map[string]any
	tests := []struct {
		name, file, text string
		want             []row
		skips            []Skip
	}{
		{"numbers, truths and dates", "t.csv", "id,n,x,b,d,s\n1,7,1.5,true,2026-03-01,a\n2,-8,2,FALSE,2026-03-02T10:00:00Z,b c\n", []row{
			{"id": 1.0, "n": 7.0, "x": 1.5, "b": true, "d": "2026-03-01", "s": "a"},
			{"id": 2.0, "n": -8.0, "x": 2.0, "b": false, "d": "2026-03-02T10:00:00Z", "s": "b c"},
		}, nil},
		{"one word makes strings of numbers", "t.csv", "n\n1\nfew\n", []row{{"n": "1"}, {"n": "few"}}, nil},
		{"a text with a leading zero or a plus is not a number", "t.csv", "zip,tel\n01234,+49\n99999,+50\n", []row{{"zip": "01234", "tel": "+49"}, {"zip": "99999", "tel": "+50"}}, nil},
		{"an empty cell is null", "t.csv", "a,b\n1,\n,x\n3\n", []row{{"a": 1.0, "b": nil}, {"a": nil, "b": "x"}, {"a": 3.0, "b": nil}}, nil},
		{"days before months", "t.csv", "d\n03/04/2026\n31/12/2026\n", []row{{"d": "2026-04-03"}, {"d": "2026-12-31"}}, nil},
		{"months before days", "t.csv", "d\n03/04/2026 5:06 PM\n12/31/2026 11:00 AM\n", []row{{"d": "2026-03-04T17:06:00"}, {"d": "2026-12-31T11:00:00"}}, nil},
		{"days of one digit with years of two, if the column is named like dates", "t.csv", "Date;v\n5.1.26;1.2.10\n15.1.26;1.2.11\n", []row{{"Date": "2026-01-05", "v": "1.2.10"}, {"Date": "2026-01-15", "v": "1.2.11"}}, nil},
		{"ordinals, and years before months", "t.csv", "a;b;c;d\n1er janvier 2026;January 5th, 2026;2026年1月15日;2026.01.15.\n15 février 2026;March 22nd, 2026;2026年2月5日;2026.02.05.\n", []row{
			{"a": "2026-01-01", "b": "2026-01-05", "c": "2026-01-15", "d": "2026-01-15"}, {"a": "2026-02-15", "b": "2026-03-22", "c": "2026-02-05", "d": "2026-02-05"}}, nil},
		{"the end of a day, ISO 8601 without separators, and named zones", "t.csv", "a;b;c;d\n2026-01-15 24:00;20260115T021500Z;2026-01-15 02:15 CET;Jan 15, 2026 2:15 AM XYZ\n2026-01-16 23:00;20260116T021500Z;2026-07-15 02:15 PDT;Jan 16, 2026 2:15 AM XYZ\n", []row{
			{"a": "2026-01-16T00:00:00", "b": "2026-01-15T02:15:00Z", "c": "2026-01-15T02:15:00+01:00", "d": "Jan 15, 2026 2:15 AM XYZ"}, {"a": "2026-01-16T23:00:00", "b": "2026-01-16T02:15:00Z", "c": "2026-07-15T02:15:00-07:00", "d": "Jan 16, 2026 2:15 AM XYZ"}}, nil},
		{"fractions of seconds since 1970, and 0 for never", "t.csv", "timestamp,updated_at\n1768443300.123456,1768443300\n1768443301.5,0\n", []row{
			{"timestamp": "2026-01-15T02:15:00.123456Z", "updated_at": "2026-01-15T02:15:00Z"}, {"timestamp": "2026-01-15T02:15:01.5Z", "updated_at": nil}}, nil},
		{"the Unix epoch", "t.csv", "a,b,c\n2026-01-15 02:15:00 +0000 UTC,1971-05-01,15.01.2026 02:15\n1970-01-01 00:00:00 +0000 UTC,1970-01-01,01.01.1970 00:00\n", []row{
			{"a": "2026-01-15T02:15:00Z", "b": "1971-05-01", "c": "2026-01-15T02:15:00"}, {"a": nil, "b": "1970-01-01", "c": nil}}, nil},
		{"days of birth at midnight", "t.csv", "a\n1984-01-15 00:00:00\n1970-01-01 00:00:00\n", []row{{"a": "1984-01-15T00:00:00"}, {"a": "1970-01-01T00:00:00"}}, nil},
		{"counts of time of which some are 0", "t.csv", "date,date_read,expires_utc,n\n757393201000000000,757393202000000000,13412916900123456,757393202000000000\n757393201000000000,0,0,0\n", []row{
			{"date": "2025-01-01T03:00:01.000000000Z", "date_read": "2025-01-01T03:00:02.000000000Z", "expires_utc": "2026-01-15T02:15:00.123456Z", "n": "757393202000000000"},
			{"date": "2025-01-01T03:00:01.000000000Z", "date_read": nil, "expires_utc": nil, "n": "0"}}, nil},
		{"cells with a word for no value", "t.csv", "Date;n;s\n2026-01-15;--;n/a\nn/a;12,50;x\n0000-00-00;—;-\n", []row{{"Date": "2026-01-15", "n": nil, "s": "n/a"}, {"Date": nil, "n": 12.5, "s": "x"}, {"Date": nil, "n": nil, "s": "-"}}, nil},
		{"None, as Python writes it", "t.csv", "Date;n;s\n2026-01-15;None;None\nNone;12,50;n.a.\n2026-01-17;n.a.;x\n", []row{
			{"Date": "2026-01-15", "n": nil, "s": "None"}, {"Date": nil, "n": 12.5, "s": "n.a."}, {"Date": "2026-01-17", "n": nil, "s": "x"}}, nil},
		{"minus signs and plus signs", "t.csv", "a;b;c;d\n−5;–3,00 €;+12,50;+49\n12;-R$ 7,50;-2,50;+50\n", []row{
			{"a": -5.0, "b": -3.0, "b_currency": "€", "c": 12.5, "d": "+49"}, {"a": 12.0, "b": -7.5, "b_currency": "R$", "c": -2.5, "d": "+50"}}, nil},
		{"other columns show what the dot and the comma mean", "t.csv", "a;b\n1.234;-1,50\n12.500;2,50\n", []row{{"a": 1234.0, "b": -1.5}, {"a": 12500.0, "b": 2.5}}, nil},
		{"a currency shows what the comma means", "t.csv", "a\n\"¥1,234\"\n¥500\n", []row{{"a": 1234.0, "a_currency": "¥"}, {"a": 500.0, "a_currency": "¥"}}, nil},
		{"a line and an empty one above two columns", "t.csv", "Exported by X\n\nName,Value\na,1\nb,2\n", []row{{"Name": "a", "Value": 1.0}, {"Name": "b", "Value": 2.0}}, nil},
		{"rows without a cell, the header again and a total", "t.csv", "a,b,c\nx,y,1\n,,\na,b,c\nz,,2\nTotal,,3\n", []row{{"a": "x", "b": "y", "c": 1.0}, {"a": "z", "b": nil, "c": 2.0}},
			[]Skip{{"t.csv", 4, "the header again"}}},
		{"unknown order of days and months", "t.csv", "d\n03/04/2026\n05/06/2026\n", []row{{"d": "03/04/2026"}, {"d": "05/06/2026"}}, nil},
		{"another column shows the order of days and months", "t.csv", "d,e,f\n03/04/2026,31/12/2026,1/2/26\n05/06/2026,01/12/2026,1/3/26\n", []row{{"d": "2026-04-03", "e": "2026-12-31", "f": "2026-02-01"}, {"d": "2026-06-05", "e": "2026-12-01", "f": "2026-03-01"}}, nil},
		{"a decimal comma shows the order of days and months", "t.csv", "d,n\n03/04/2026,\"1.234,50\"\n05/06/2026,\"12,00\"\n", []row{{"d": "2026-04-03", "n": 1234.5}, {"d": "2026-06-05", "n": 12.0}}, nil},
		{"two columns that differ do not decide a third", "t.csv", "d,e,f\n31/12/2026,12/31/2026,03/04/2026\n", []row{{"d": "2026-12-31", "e": "2026-12-31", "f": "03/04/2026"}}, nil},
		{"dates with dots", "t.csv", "d\n3.4.2026\n05.06.2026\n", []row{{"d": "2026-04-03"}, {"d": "2026-06-05"}}, nil},
		{"semicolons, and a comma in a number", "t.csv", "a;b\n1,5;x\n", []row{{"a": 1.5, "b": "x"}}, nil},
		{"thousands separators, and a decimal comma", "t.csv", "a;b;c\n1.234,56;1 234,5;-1.000\n7;0,25;12,5\n", []row{{"a": 1234.56, "b": 1234.5, "c": -1000.0}, {"a": 7.0, "b": 0.25, "c": 12.5}}, nil},
		{"thousands separators, and a decimal point", "t.csv", "a;b\n1,234.56;1'000\n-0.5;2'345'678.9\n", []row{{"a": 1234.56, "b": 1000.0}, {"a": -0.5, "b": 2345678.9}}, nil},
		{"a comma of unknown meaning in a number", "t.csv", "a;b\n1,234;1,5\n5,678;2.5\n", []row{{"a": "1,234", "b": "1,5"}, {"a": "5,678", "b": "2.5"}}, nil},
		{"not numbers: zip codes, versions, phones, sizes", "t.csv", "a;b;c;d\n01,5;1.2.3;+49 30;5 km\n02,5;1.2.4;+49 40;7 km\n", []row{{"a": "01,5", "b": "1.2.3", "c": "+49 30", "d": "5 km"}, {"a": "02,5", "b": "1.2.4", "c": "+49 40", "d": "7 km"}}, nil},
		{"shares", "t.csv", "d\n5 %\n-7.5%\n", []row{{"d": 5.0, "d_unit": "%"}, {"d": -7.5, "d_unit": "%"}}, nil},
		{"seconds and milliseconds since 1970, if the column is named like times", "t.csv", "created_at,playedAt,n\n1768443300,1768443300123,1768443300\n1768443301,1768443301000,1768443301\n", []row{
			{"created_at": "2026-01-15T02:15:00Z", "playedAt": "2026-01-15T02:15:00.123Z", "n": 1768443300.0}, {"created_at": "2026-01-15T02:15:01Z", "playedAt": "2026-01-15T02:15:01.000Z", "n": 1768443301.0}}, nil},
		{"numbers that are not times, despite the column's name", "t.csv", "time\n12\n1768443300\n", []row{{"time": 12.0}, {"time": 1768443300.0}}, nil},
		{"years of two digits", "t.csv", "a;b\n15.01.26;1.2.10\n16.01.26;1.2.11\n", []row{{"a": "2026-01-15", "b": "1.2.10"}, {"a": "2026-01-16", "b": "1.2.11"}}, nil},
		{"numbers below one without a zero", "t.csv", "a,b,c,d\n.5,-.99,$.50,(.25)\n1.25,12.00,$3.10,4.00\n", []row{
			{"a": 0.5, "b": -0.99, "c": 0.5, "c_currency": "$", "d": -0.25}, {"a": 1.25, "b": 12.0, "c": 3.1, "c_currency": "$", "d": 4.0}}, nil},
		{"the same with a decimal comma", "t.csv", "a;b\n,5;-,99\n1,25;12,00\n", []row{{"a": 0.5, "b": -0.99}, {"a": 1.25, "b": 12.0}}, nil},
		{"a text that begins with a mark and a digit is no number", "t.csv", "a,b\n.5 mm,.htaccess\n.2.1,.5\n", []row{{"a": ".5 mm", "b": ".htaccess"}, {"a": ".2.1", "b": ".5"}}, nil},
		{"days of a broker, some with the day before", "t.csv", "Date,Action,Amount\n11/20/2020,Div,$2.11\n09/16/2020 as of 09/15/2020,Interest,$0.05\n04/01/2020 as of 03/31/2020,Expired,$1.00\n", []row{
			{"Date": "2020-11-20", "Date_text": nil, "Action": "Div", "Amount": 2.11, "Amount_currency": "$"},
			{"Date": "2020-09-16", "Date_text": "09/16/2020 as of 09/15/2020", "Action": "Interest", "Amount": 0.05, "Amount_currency": "$"},
			{"Date": "2020-04-01", "Date_text": "04/01/2020 as of 03/31/2020", "Action": "Expired", "Amount": 1.0, "Amount_currency": "$"}}, nil},
		{"a text that has as of", "t.csv", "a,b\nprice as of today,1\nx,2\n", []row{{"a": "price as of today", "b": 1.0}, {"a": "x", "b": 2.0}}, nil},
		{"a column named after 52 weeks below other lines", "t.csv", "\"Positions, as of 11/15\"\n\n\"Account 12\"\nSymbol,Price,52 Week High\nFNDA,$38.30,$40.88\nSCHA,$78.97,$79.71\n", []row{
			{"Symbol": "FNDA", "Price": 38.3, "Price_currency": "$", "52_Week_High": 40.88, "52_Week_High_currency": "$"},
			{"Symbol": "SCHA", "Price": 78.97, "Price_currency": "$", "52_Week_High": 79.71, "52_Week_High_currency": "$"}}, nil},
		{"a text with a leading zero among decimal commas is not a number", "t.csv", "a;b\n01234;x\n1,5;y\n", []row{{"a": "01234", "b": "x"}, {"a": "1,5", "b": "y"}}, nil},
		{"money is a number with its currency beside it", "t.csv", "a;b;c\n12,50 €;$1,234.56;EUR 5\n-3,00 €;-$2.00;\n1.000,00 €;3.00;CHF -7\n", []row{
			{"a": 12.5, "a_currency": "€", "b": 1234.56, "b_currency": "$", "c": 5.0, "c_currency": "EUR"}, {"a": -3.0, "a_currency": "€", "b": -2.0, "b_currency": "$", "c": nil, "c_currency": nil},
			{"a": 1000.0, "a_currency": "€", "b": 3.0, "b_currency": nil, "c": -7.0, "c_currency": "CHF"}}, nil},
		{"integers below a thousand show that a comma separates thousands", "t.csv", "a,b\n\"1,234\",\"5,678\"\n500,\"-2,000\"\n0,\n", []row{
			{"a": 1234.0, "b": 5678.0}, {"a": 500.0, "b": -2000.0}, {"a": 0.0, "b": nil}}, nil},
		{"integers below a thousand show that a dot separates thousands, with semicolons between cells", "t.csv", "a;b\n1.234;2.500 kr\n500;7 kr\n", []row{{"a": 1234.0, "b": 2500.0, "b_currency": "kr"}, {"a": 500.0, "b": 7.0, "b_currency": "kr"}}, nil},
		{"a more likely decimal separator is not a thousands separator", "t.csv", "a;b\n1,234;x\n500;y\n", []row{{"a": "1,234", "b": "x"}, {"a": "500", "b": "y"}}, nil},
		{"a separator is not of thousands if other thousands have none", "t.csv", "a,b\n\"1,234\",x\n500,y\n5000,z\n", []row{{"a": "1,234", "b": "x"}, {"a": "500", "b": "y"}, {"a": "5000", "b": "z"}}, nil},
		{"numbers of three times three digits may be of phones and companies", "t.csv", "a;b;c\n601 234 567;923 609 016;1 234 567\n602 345 678;987 654 321;12 000\n", []row{
			{"a": "601 234 567", "b": "923 609 016", "c": 1234567.0}, {"a": "602 345 678", "b": "987 654 321", "c": 12000.0}}, nil},
		{"codes with an e are not numbers", "t.csv", "a,b,c\n12e4,1.5e3,1E-05\n5e3,2,2.25E+03\n", []row{{"a": "12e4", "b": 1500.0, "c": 0.00001}, {"a": "5e3", "b": 2.0, "c": 2250.0}}, nil},
		{"currencies with a dot, and a minus with a space", "t.csv", "a;b;c;d\n-1.234,50 kr.;Rs. 500,00;1 234 FCFA;- 5,00\n12,00 kr.;Rs. 1,00;500 FCFA;7,50\n", []row{
			{"a": -1234.5, "a_currency": "kr.", "b": 500.0, "b_currency": "Rs.", "c": 1234.0, "c_currency": "FCFA", "d": -5.0},
			{"a": 12.0, "a_currency": "kr.", "b": 1.0, "b_currency": "Rs.", "c": 500.0, "c_currency": "FCFA", "d": 7.5}}, nil},
		{"dates as JavaScript and logs write them", "t.csv", "a;b\nThu Jan 15 2026 02:15:33 GMT+0100 (Central European Standard Time);15/ene/2026\nFri Jan 16 2026 14:15:33 GMT+0100 (CET);03/feb/2026\n", []row{
			{"a": "2026-01-15T02:15:33+01:00", "b": "2026-01-15"}, {"a": "2026-01-16T14:15:33+01:00", "b": "2026-02-03"}}, nil},
		{"a comma of unknown meaning in a price", "t.csv", "a\n\"1,234 €\"\n\"5,678 €\"\n", []row{{"a": "1,234 €"}, {"a": "5,678 €"}}, nil},
		{
			"credits and debits", "t.csv",
			"a;b;c;d\n1,234.50 CR;$5.00 Dr;7 CR;3.00 CR\n200.00 DR;$1,000.00 Cr.;see note;4.00\n;2.00dr;8 DR;5.00 DR\n", []row{
				{"a": 1234.5, "b": -5.0, "b_currency": "$", "c": "7 CR", "d": "3.00 CR"},
				{"a": -200.0, "b": 1000.0, "b_currency": "$", "c": "see note", "d": "4.00"},
				{"a": nil, "b": -2.0, "b_currency": nil, "c": "8 DR", "d": "5.00 DR"},
			}, nil,
		},
		{
			"a debit with its own sign", "t.csv", "a;b\n-5.00 DR;(5.00) DR\n6.00 CR;6.00 CR\n",
			[]row{{"a": "-5.00 DR", "b": "(5.00) DR"}, {"a": "6.00 CR", "b": "6.00 CR"}}, nil,
		},
		{"a column of that name exists already", "t.csv", "a;a_currency\n5 €;x\n", []row{{"a": 5.0, "a_currency": "x", "a_currency_2": "€"}}, nil},
		{"times to the minute, and with a zone", "t.csv", "a,b,c\n2026-01-15 02:15,2026-01-15 02:15:01 +0100,15.01.2026\n2026-01-16 03:00,2026-01-15T02:15:01+0100,16.01.2026\n", []row{
			{"a": "2026-01-15T02:15:00", "b": "2026-01-15T02:15:01+01:00", "c": "2026-01-15"}, {"a": "2026-01-16T03:00:00", "b": "2026-01-15T02:15:01+0100", "c": "2026-01-16"},
		}, nil},
		{"what a bank writes above the header", "t.csv", "\xef\xbb\xbfKontoauszug;;;\r\n\"Konto\";\"DE89 3704\"\r\n\r\nTag;Text;Betrag;Saldo\r\n15.01.2026;Miete;-800,00;1.200,50\r\n16.01.2026;Lohn;2.000,00;3.200,50\r\n", []row{
			{"Tag": "2026-01-15", "Text": "Miete", "Betrag": -800.0, "Saldo": 1200.5}, {"Tag": "2026-01-16", "Text": "Lohn", "Betrag": 2000.0, "Saldo": 3200.5},
		}, nil},
		{"sections, whose rows say what they are", "t.csv", "Statement,Header,Field Name,Field Value\nStatement,Data,Title,Activity\nTrades,Header,Currency,Symbol,Date/Time,Proceeds\n" +
			"Trades,Data,USD,AAPL,\"2026-01-15, 02:15:33\",-1505\nTrades,Data,USD,MSFT,\"2026-01-16, 02:15:33\",\"6,501.25\"\nTrades,SubTotal,USD,,,4996.25\nTrades,Total,,,,4996.25\nDividends,Header,Currency,Amount\nDividends,Data,USD,2.5\n", []row{
			{"Section": "Statement", "Header": "Data", "Field_Name": "Title", "Field_Value": "Activity"},
			{"Section": "Trades", "Header": "Data", "Currency": "USD", "Symbol": "AAPL", "Date_Time": "2026-01-15T02:15:33", "Proceeds": -1505.0},
			{"Section": "Trades", "Header": "Data", "Currency": "USD", "Symbol": "MSFT", "Date_Time": "2026-01-16T02:15:33", "Proceeds": 6501.25},
			{"Section": "Dividends", "Header": "Data", "Currency": "USD", "Amount": 2.5}}, []Skip{
			{"t.csv", 3, "another header, which names the columns below it"}, {"t.csv", 6, "a total of the rows above it"}, {"t.csv", 7, "a total of the rows above it"},
			{"t.csv", 8, "another header, which names the columns below it"}}},
		{"a balance below the table", "t.csv", "Buchungstag;Wert;Umsatzart;Betrag;Art\n15.1.2026;15.1.2026;Kauf;-12,50;x\n16.1.2026;16.1.2026;Saldo;2.500,00;y\nKontostand;31.1.2026;;3.487,50;\n", []row{
			{"Buchungstag": "2026-01-15", "Wert": "2026-01-15", "Umsatzart": "Kauf", "Betrag": -12.5, "Art": "x"}, {"Buchungstag": "2026-01-16", "Wert": "2026-01-16", "Umsatzart": "Saldo", "Betrag": 2500.0, "Art": "y"}}, nil},
		{"dates with the days of the week", "t.csv", "a;b;c\njeudi 15 janvier 2026 14:15;jueves, 15 de enero de 2026 2:15:33;donderdag 15 januari 2026\nsamedi 31 janvier 2026 10:00;sábado, 31 de enero de 2026 14:15:33;zaterdag 31 januari 2026\n", []row{
			{"a": "2026-01-15T14:15:00", "b": "2026-01-15T02:15:33", "c": "2026-01-15"}, {"a": "2026-01-31T10:00:00", "b": "2026-01-31T14:15:33", "c": "2026-01-31"}}, nil},
		{"a few rows between pairs and a text", "t.csv", "Von:;1\nBis:;2\nKonto:;3\nArt:;4\nTag;Text;Gut;Soll\n15.01.2026;Kauf;;-5\n16.01.2026;Lohn;7;\n\nHinweis:\nKein Dokument der Bank.\nOhne Gewähr\n", []row{
			{"Tag": "2026-01-15", "Text": "Kauf", "Gut": nil, "Soll": -5.0}, {"Tag": "2026-01-16", "Text": "Lohn", "Gut": 7.0, "Soll": nil}}, nil},
		{"a short first row is not a preamble if no header follows", "t.csv", "a,b\n1,2,3\n4,5,6\n", nil, []Skip{{"t.csv", 2, "the row has 3 cells, and the header 2"}, {"t.csv", 3, "the row has 3 cells, and the header 2"}}},
		{"a table without a header loses no row", "t.csv", "15.01.2026;Miete;-800,00\n16.01.2026;\"Lohn\nund mehr\";2000,00\n17.01.2026;x;1,00\n", []row{
			{"column_1": "2026-01-15", "column_2": "Miete", "column_3": -800.0}, {"column_1": "2026-01-16", "column_2": "Lohn\nund mehr", "column_3": 2000.0},
			{"column_1": "2026-01-17", "column_2": "x", "column_3": 1.0}}, nil},
		{"days as the names of columns are a header", "t.csv", "who,2026-01-15,2026-01-16\nAda,5,7\n", []row{{"who": "Ada", "2026-01-15": 5.0, "2026-01-16": 7.0}}, nil},
		{"one row with a date is not a header", "t.csv", "2026-01-15,a\n", []row{{"column_1": "2026-01-15", "column_2": "a"}}, nil},
		{"what a bank writes below a table", "t.csv", "a;b;c\n1;2;3\n4\n7;8;9\n\nSaldo\n5\n", []row{{"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 4.0, "b": nil, "c": nil}, {"a": 7.0, "b": 8.0, "c": 9.0}}, nil},
		{"an amount in parentheses is negative", "t.csv", "a;b;c\n(12.34);($1,000.50);(x)\n5.00;$2.00;(5)\n", []row{{"a": -12.34, "b": -1000.5, "b_currency": "$", "c": "(x)"}, {"a": 5.0, "b": 2.0, "b_currency": "$", "c": "(5)"}}, nil},
		{"dates and times in words of many languages", "t.csv", "a|b|c|d|e\n15. Januar 2026|15 Jan 2026 02:15|Thursday, January 15, 2026|15/01/2026, 2:15 am|Thu Jan 15 02:15:00 +0100 2026\n" +
			"1. März 2026|1 May 2026 14:15|Friday, May 1, 2026|16/01/2026, 2:15\u202fpm|Fri Jan 16 02:15:00 +0100 2026\n", []row{
			{"a": "2026-01-15", "b": "2026-01-15T02:15:00", "c": "2026-01-15", "d": "2026-01-15T02:15:00", "e": "2026-01-15T02:15:00+01:00"},
			{"a": "2026-03-01", "b": "2026-05-01T14:15:00", "c": "2026-05-01", "d": "2026-01-16T14:15:00", "e": "2026-01-16T02:15:00+01:00"}}, nil},
		{"dates with a fraction of a second, a zone, or a time in some rows", "t.csv", "a;b;c;d\n15-01-2026 02:15:33.123;Jan 15, 2026, 2:15:00 AM UTC;15.1.2026 klo 14.15;1 févr. 2026\n" +
			"31-01-2026 02:15:00.5;Feb 1, 2026, 2:15:00 PM UTC;16.1.2026;15 de enero de 2026\n", []row{
			{"a": "2026-01-15T02:15:33.123", "b": "2026-01-15T02:15:00Z", "c": "2026-01-15T14:15:00", "d": "2026-02-01"}, {"a": "2026-01-31T02:15:00.5", "b": "2026-02-01T14:15:00Z", "c": "2026-01-16", "d": "2026-01-15"}}, nil},
		{"words, versions, clocks and zones that are not dates", "t.csv", "a;b;c\nmoney 15 Jan 2026;1.2.2026 at 25:00;15 Jan 2026 02:15 CEST\nlunch;1.2.2026;x\n", []row{
			{"a": "money 15 Jan 2026", "b": "1.2.2026 at 25:00", "c": "15 Jan 2026 02:15 CEST"}, {"a": "lunch", "b": "1.2.2026", "c": "x"}}, nil},
		{"days as integers, if the column is named like dates", "t.csv", "Date,n\n20260115,20260115\n20260131,20260131\n", []row{{"Date": "2026-01-15", "n": 20260115.0}, {"Date": "2026-01-31", "n": 20260131.0}}, nil},
		{"lakhs and crores, and a minus after the number", "t.csv", "a;b;c\n1,23,456.50;12,30-;18-\n2,00,000.00;100,00;x\n", []row{{"a": 123456.5, "b": -12.3, "c": "18-"}, {"a": 200000.0, "b": 100.0, "c": "x"}}, nil},
		{"pipes, and texts for Excel", "t.csv", "a|b\n\"=\"\"0195\"\"\"|1\n\"=\"\"\"\"\"|2\n", []row{{"a": "0195", "b": 1.0}, {"a": nil, "b": 2.0}}, nil},
		{"an account above the header, as wide as a row", "t.csv", "Compte;****1;15/01/2026;;1 234,56\nDate;Libelle;Montant\n15/01/2026;Pain;-12,30\n31/01/2026;Salaire;2 345,67\n", []row{
			{"Date": "2026-01-15", "Libelle": "Pain", "Montant": -12.3}, {"Date": "2026-01-31", "Libelle": "Salaire", "Montant": 2345.67}}, nil},
		{"days and months without zeros, and years of two digits", "t.csv", "d\n1/5/26\n1/15/26\n", []row{{"d": "2026-01-05"}, {"d": "2026-01-15"}}, nil},
		{"tabs", "t.tsv", "a\tb\n1\tx, y\n", []row{{"a": 1.0, "b": "x, y"}}, nil},
		{"the separator is declared above", "t.csv", "sep=|\r\na|b\r\n1|x,y;z\r\n", []row{{"a": 1.0, "b": "x,y;z"}}, nil},
		{"quotes, line ends and separators in cells", "t.csv", "a,b\r\n\"say \"\"hi\"\", twice\",\"two\r\nlines\"\r\n\r\nx,y", []row{{"a": `say "hi", twice`, "b": "two\nlines"}, {"a": "x", "b": "y"}}, nil},
		{"a header in quotes with a line end, and empty names", "t.csv", "\"Sent\nAt\",,€,Naïve Name, a ,a\n1,2,3,4,5,6\n", []row{{"Sent_At": 1.0, "column_2": 2.0, "EUR": 3.0, "Naïve_Name": 4.0, "a": 5.0, "a_2": 6.0}}, nil},
		{"a byte order mark", "t.csv", "\xef\xbb\xbfa\n1\n", []row{{"a": 1.0}}, nil},
		{"UTF-16, as spreadsheets write it", "t.csv", "\xff\xfea\x00\t\x00b\x00\n\x00\xe9\x00\t\x001\x00\n\x00", []row{{"a": "é", "b": 1.0}}, nil},
		{"Windows-1252", "t.csv", "name\nJos\xe9\n", []row{{"name": "José"}}, nil},
		{"Windows-1250 far down", "t.csv", strings.Repeat("name\n", 20_000) + "Dvo\xf8\xe1k\n", append(slices.Repeat([]row{{"name": "name"}}, 19_999), row{"name": "Dvořák"}), nil},
		{"Shift-JIS", "t.csv", "\x93\xfa\x95t,\x93X\n2026/01/15,\x83Z\x83u\x83\x93\n", []row{{"日付": "2026-01-15", "店": "セブン"}}, nil},
		{"UTF-16 without a byte order mark", "t.csv", "n\x00a\x00m\x00e\x00\n\x00J\x00o\x00s\x00\xe9\x00\n\x00", []row{{"name": "José"}}, nil},
		{"lines that end as on old Macs", "t.csv", "a,b\r1,x\r2,y\r", []row{{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}}, nil},
		{"a byte that is 0", "t.csv", "a,b\n1,x\x00y in a row that is long enough\n", []row{{"a": 1.0, "b": "x\x00y in a row that is long enough"}}, nil},
		{"a quotation mark for inches", "t.csv", "a,b\n5\" nails,1\nx,2\n", []row{{"a": `5" nails`, "b": 1.0}, {"a": "x", "b": 2.0}}, nil},
		{"an unclosed quotation mark loses only its row", "t.csv", "a,b\nx,1\n\"open,2\ny,3\n", []row{{"a": "x", "b": 1.0}, {"a": "y", "b": 3.0}}, []Skip{{"t.csv", 3, "a quotation mark is opened and not closed"}}},
		{"too many cells", "t.csv", "a,b\n1,2,3\n1,2,,\n", []row{{"a": 1.0, "b": 2.0}}, []Skip{{"t.csv", 2, "the row has 3 cells, and the header 2"}}},
		{"a line of empty cells above the header", "t.csv", ";;\na;b;c\nx;y;z\n", []row{{"a": "x", "b": "y", "c": "z"}}, nil},
		{"a few rows, which end with a separator, below names with their values and a summary", "t.csv", "mBank S.A.;\nSkrytka 2108;\n90-959 Lodz 2;\n\n#Klient;\nJAN KOWALSKI;\n\n#Za okres:;\n01.01.2026;31.01.2026;\n\n#dla:;\neKonto - 1111;\n\n#Lista nie jest dokumentem w rozumieniu art. 7 Ustawy Prawo Bankowe (Dz. U. Nr 140, poz.939), bo operacje, edytować.;\n\n#Waluta;#Wplywy;#Wydatki;\nPLN;5 000,00;-1 837,00;\n\n" +
			"#Data operacji;#Opis operacji;#Rachunek;#Kategoria;#Kwota;\n2026-01-20;\"BILET\";\"eKonto\";\"Transport\";-37,00 PLN;;\n2026-01-09;\"CZYNSZ\";\"eKonto\";\"Dom\";-1 800,00 PLN;;\n", []row{
			{"Data_operacji": "2026-01-20", "Opis_operacji": "BILET", "Rachunek": "eKonto", "Kategoria": "Transport", "Kwota": -37.0, "Kwota_currency": "PLN", "column_6": nil},
			{"Data_operacji": "2026-01-09", "Opis_operacji": "CZYNSZ", "Rachunek": "eKonto", "Kategoria": "Dom", "Kwota": -1800.0, "Kwota_currency": "PLN", "column_6": nil}}, nil},
		{"a few rows below many names with their values", "t.csv", "Umsätze;Datei vom: 20.01.2026\n\nKontoname;Giro\nBank;ING\nKunde;Nora\nZeitraum;01.01.2026 - 20.01.2026\n\nBuchung;Text;Betrag\n20.01.2026;Brot;-1,50\n03.01.2026;Lohn;2,00\n", []row{
			{"Buchung": "2026-01-20", "Text": "Brot", "Betrag": -1.5}, {"Buchung": "2026-01-03", "Text": "Lohn", "Betrag": 2.0}}, nil},
		{"texts with commas below two columns", "t.csv", "word,meaning\na,\"one, two, three, four, five\"\nb,\"one, two, three, four, five\"\n", []row{{"word": "a", "meaning": "one, two, three, four, five"}, {"word": "b", "meaning": "one, two, three, four, five"}}, nil},
		{"only money and numbers are not a header", "t.csv", "Shop,-12.50\nCafe,-3.20\n", []row{{"column_1": "Shop", "column_2": -12.5}, {"column_1": "Cafe", "column_2": -3.2}}, nil},
		{"only numbers", "t.csv", "1,12.50\n2,3.20\n", []row{{"column_1": 1.0, "column_2": 12.5}, {"column_1": 2.0, "column_2": 3.2}}, nil},
		{"the first payment of an account, which the file does not name", "t.tsv", "123456789\tEUR\t20260105\t1000,00\t950,00\t20260105\t-50,00\tBEA\n123456789\tEUR\t20260106\t950,00\t1950,25\t20260106\t1000,25\tSEPA\n", []row{
			{"column_1": 123456789.0, "column_2": "EUR", "column_3": 20260105.0, "column_4": 1000.0, "column_5": 950.0, "column_6": 20260105.0, "column_7": -50.0, "column_8": "BEA"},
			{"column_1": 123456789.0, "column_2": "EUR", "column_3": 20260106.0, "column_4": 950.0, "column_5": 1950.25, "column_6": 20260106.0, "column_7": 1000.25, "column_8": "SEPA"}}, nil},
		{"days as numbers are not a header", "t.csv", "20260105,COFFEE,3.50\n20260106,TEA,2.50\n", []row{{"column_1": 20260105.0, "column_2": "COFFEE", "column_3": 3.5}, {"column_1": 20260106.0, "column_2": "TEA", "column_3": 2.5}}, nil},
		{"prices in one currency are not a header", "t.csv", "COFFEE,3.50,EUR\nTEA,2.50,EUR\n", []row{{"column_1": "COFFEE", "column_2": 3.5, "column_3": "EUR"}, {"column_1": "TEA", "column_2": 2.5, "column_3": "EUR"}}, nil},
		{"a price is not a header", "t.csv", "COFFEE,3.50\nTEA,2.50\n", []row{{"column_1": "COFFEE", "column_2": 3.5}, {"column_1": "TEA", "column_2": 2.5}}, nil},
		{"mail addresses are not a header", "t.csv", "ann@example.com,Ann,555\nbo@example.com,Bo,556\n", []row{{"column_1": "ann@example.com", "column_2": "Ann", "column_3": 555.0}, {"column_1": "bo@example.com", "column_2": "Bo", "column_3": 556.0}}, nil},
		{"links are not a header", "t.csv", "https://a.example/1,One\nhttps://a.example/2,Two\n", []row{{"column_1": "https://a.example/1", "column_2": "One"}, {"column_1": "https://a.example/2", "column_2": "Two"}}, nil},
		{"numbers of books are not a header", "t.csv", "9780000000001,Dune\n9780000000002,Emma\n", []row{{"column_1": 9780000000001.0, "column_2": "Dune"}, {"column_1": 9780000000002.0, "column_2": "Emma"}}, nil},
		{"times of day are not a header", "t.csv", "10:05,wake,5\n10:10,eat,6\n", []row{{"column_1": "10:05", "column_2": "wake", "column_3": 5.0}, {"column_1": "10:10", "column_2": "eat", "column_3": 6.0}}, nil},
		{"truths are not a header", "t.csv", "true,A,1\nfalse,B,2\n", []row{{"column_1": true, "column_2": "A", "column_3": 1.0}, {"column_1": false, "column_2": "B", "column_3": 2.0}}, nil},
		{"times, years and numbers are a header", "t.csv", "Stop,10:00,2026,3\nMain,10:05,2027,3\n", []row{{"Stop": "Main", "10_00": "10:05", "2026": 2027.0, "3": 3.0}}, nil},
		{"versions are a header", "t.csv", "test,3.10,3.11\nsort,1.5,1.2\n", []row{{"test": "sort", "3.10": 1.5, "3.11": 1.2}}, nil},
		{"a currency in a header", "t.csv", "Betrag (€);Anteil %\n1,50;2,5\n", []row{{"Betrag__EUR": 1.5, "Anteil_percent": 2.5}}, nil},
		{"years of two digits of the last century", "t.csv", "born\n12/31/68\n5/13/49\n", []row{{"born": "1968-12-31"}, {"born": "2049-05-13"}}, nil},
		{"a plus after the number, and sums that are not phone numbers", "t.csv", "a;b;c\n123,45-;+1000,00;18+\n7,00+;+1020,50;16+\n", []row{{"a": -123.45, "b": 1000.0, "c": "18+"}, {"a": 7.0, "b": 1020.5, "c": "16+"}}, nil},
		{"all rows end with a separator, and the header does not", "t.csv", "com.samsung.health.weight,6100001,12\nstart_time,fat,weight,id\n2026-01-15 02:15:00.000,,70.5,u1,\n2026-01-16 02:15:00.000,20.1,70.1,u2,\n", []row{
			{"start_time": "2026-01-15T02:15:00", "fat": nil, "weight": 70.5, "id": "u1"}, {"start_time": "2026-01-16T02:15:00", "fat": 20.1, "weight": 70.1, "id": "u2"}}, []Skip{{"t.csv", 1, "above the header"}}},
		{"amounts with a column that says which are debits", "t.csv", "Datum;Af Bij;Bedrag (EUR);Saldo na mutatie\n20260115;Af;12,50;100,00\n20260116;Bij;2.500,00;2.600,00\n20260117;AF;0,00;2.600,00\n", []row{
			{"Datum": "2026-01-15", "Af_Bij": "Af", "Bedrag__EUR": -12.5, "Saldo_na_mutatie": 100.0}, {"Datum": "2026-01-16", "Af_Bij": "Bij", "Bedrag__EUR": 2500.0, "Saldo_na_mutatie": 2600.0}, {"Datum": "2026-01-17", "Af_Bij": "AF", "Bedrag__EUR": 0.0, "Saldo_na_mutatie": 2600.0}}, nil},
		{"initials of debits and credits below no name", "t.csv", "Tag;Umsatz; \n15.01.2026;12,50;S\n16.01.2026;3,00 €;H\n", []row{{"Tag": "2026-01-15", "Umsatz": -12.5, "Umsatz_currency": nil, "column_3": "S"}, {"Tag": "2026-01-16", "Umsatz": 3.0, "Umsatz_currency": "€", "column_3": "H"}}, nil},
		{"a debit that has its sign already", "t.csv", "Amount,Type\n-3.50,debit\n2.00,credit\n", []row{{"Amount": -3.5, "Type": "debit"}, {"Amount": 2.0, "Type": "credit"}}, nil},
		{"the kinds of cards that paid are not sides", "t.csv", "id,Amount,Currency,Card Brand,Card Funding,Status\nch_1,50.00,gbp,Visa,credit,Paid\nch_2,60.00,gbp,Visa,debit,Paid\n", []row{
			{"id": "ch_1", "Amount": 50.0, "Currency": "gbp", "Card_Brand": "Visa", "Card_Funding": "credit", "Status": "Paid"}, {"id": "ch_2", "Amount": 60.0, "Currency": "gbp", "Card_Brand": "Visa", "Card_Funding": "debit", "Status": "Paid"}}, nil},
		{"initials that are grades, and amounts without a side", "t.csv", "Amount,Grade,Kind\n3.50,D,debit\n2.00,C,\n", []row{{"Amount": 3.5, "Grade": "D", "Kind": "debit"}, {"Amount": 2.0, "Grade": "C", "Kind": nil}}, nil},
		{"times next to offsets are in UTC", "t.csv", "x.start_time,x.time_offset\n2026-01-15 02:15:00.000,UTC+0100\n2026-07-15 02:15:00.500,UTC+0200\n", []row{{"x.start_time": "2026-01-15T02:15:00Z", "x.time_offset": "UTC+0100"}, {"x.start_time": "2026-07-15T02:15:00.5Z", "x.time_offset": "UTC+0200"}}, nil},
		{"days of DATEV, whose year is in the line above the header", "t.csv", "\"EXTF\";700;21;\"Buchungsstapel\";13;;;\"RE\";\"\";\"\";1;2;20250701;4;20251201;20260131;\"x\"\nUmsatz (ohne S/H);Soll/Haben-Kennzeichen;Belegdatum;Leistungsdatum;Text\n12,50;S;3112;31122025;a\n1200,00;H;201;02012026;b\n", []row{
			{"Umsatz__ohne_S_H": -12.5, "Soll_Haben-Kennzeichen": "S", "Belegdatum": "2025-12-31", "Leistungsdatum": "2025-12-31", "Text": "a"}, {"Umsatz__ohne_S_H": 1200.0, "Soll_Haben-Kennzeichen": "H", "Belegdatum": "2026-01-02", "Leistungsdatum": "2026-01-02", "Text": "b"}}, nil},
		{"each row has a header", "t.csv", "Id,Tz,Hours,22:15\n1,x,8.5,0.1\nId,Tz,Hours,23:15,Event\n2,y,7.0,0.3,e\n", []row{
			{"Id": 1.0, "Tz": "x", "Hours": 8.5, "22_15": 0.1}, {"Id": 2.0, "Tz": "y", "Hours": 7.0, "23_15": 0.3, "Event": "e"}}, []Skip{{"t.csv", 3, "another header, which names the columns below it"}}},
		{"a few rows below a summary of as many lines", "t.csv", "Description,,Summary Amt.\nBeginning balance,,\"1,000.00\"\nTotal credits,,\"2,000.00\"\nTotal debits,,\"-12.34\"\nEnding balance,,\"2,987.66\"\n\nDate,Description,Amount,Running Bal.\n01/01/2026,Beginning balance,,\"1,000.00\"\n01/13/2026,x,\"2,000.00\",\"3,000.00\"\n01/15/2026,y,\"-12.34\",\"2,987.66\"\n", []row{
			{"Date": "2026-01-01", "Description": "Beginning balance", "Amount": nil, "Running_Bal.": 1000.0}, {"Date": "2026-01-13", "Description": "x", "Amount": 2000.0, "Running_Bal.": 3000.0}, {"Date": "2026-01-15", "Description": "y", "Amount": -12.34, "Running_Bal.": 2987.66}}, nil},
		{"the tables of two accounts", "t.csv", "Giro;30 Tage\n\n\"Tag\";\"Art\";\"Text\";\"Umsatz\"\n15.01.2026;a;x;-1,50\n16.01.2026;b;y;2,00\n\nAlter Stand;3,00\nVisa;30 Tage\n\n\"Tag\";\"Art\";\"Nummer\";\"Text\";\"Umsatz\"\n17.01.2026;c;7;z;-5,00\n", []row{
			{"Tag": "2026-01-15", "Art": "a", "Text": "x", "Umsatz": -1.5}, {"Tag": "2026-01-16", "Art": "b", "Text": "y", "Umsatz": 2.0}, {"Tag": "2026-01-17", "Art": "c", "Nummer": 7.0, "Text": "z", "Umsatz": -5.0}},
			[]Skip{{"t.csv", 10, "another header, which names the columns below it"}}},
		{"a row of which half looks like a header", "t.csv", "a,b,c,d\na,b,1,2\n", []row{{"a": "a", "b": "b", "c": 1.0, "d": 2.0}}, nil},
		{"a total of transactions", "t.csv", "Date,What,Amount\n01/15/2026,x,-$3.00\nTransactions Total,,-$3.00\n", []row{{"Date": "2026-01-15", "What": "x", "Amount": -3.0, "Amount_currency": "$"}}, nil},
		{"numbers in apostrophes", "t.csv", "a,b,c\n'-5.00','x',30-00\n0,'y','30-00-01\n", []row{{"a": -5.0, "b": "'x'", "c": "30-00"}, {"a": 0.0, "b": "'y'", "c": "'30-00-01"}}, nil},
		{"tasks below the names of their sections", "t.csv", "TYPE,CONTENT,INDENT\ntask,a,1\nsection,Boat,\ntask,b,1\nnote,c,\nsection,House\ntask,d,1\n", []row{
			{"TYPE": "task", "CONTENT": "a", "INDENT": 1.0, "SECTION": nil}, {"TYPE": "section", "CONTENT": "Boat", "INDENT": nil, "SECTION": nil}, {"TYPE": "task", "CONTENT": "b", "INDENT": 1.0, "SECTION": "Boat"},
			{"TYPE": "note", "CONTENT": "c", "INDENT": nil, "SECTION": "Boat"}, {"TYPE": "section", "CONTENT": "House", "INDENT": nil, "SECTION": nil}, {"TYPE": "task", "CONTENT": "d", "INDENT": 1.0, "SECTION": "House"}}, nil},
		{"only a header", "t.csv", "a,b\n", nil, []Skip{{"t.csv", 0, model.NoRecord}}},
		{"nothing", "t.csv", "", nil, []Skip{{"t.csv", 0, model.NoRecord}}},
		{"binary garbage", "t.csv", "PK\x03\x04\x00\x00", nil, []Skip{{"t.csv", 0, "not text: it contains zero bytes"}}},
		{"a line of a megabyte", "t.csv", "a\n" + strings.Repeat("x", 1<<20) + "\n", []row{{"a": strings.Repeat("x", 1<<20)}}, nil},
		{"a thousand and one columns", "t.csv", strings.Repeat("a,", item.MaxFields) + "a\n1\n", nil, []Skip{{"t.csv", 0, "it has 1001 columns, and a stream has at most 1000 fields"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, skips := loaded(t, test.file, test.text)
			if diff := cmp.Diff(test.skips, skips); diff != "" {
				t.Errorf("skips (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.want, records["t"]); diff != "" {
				t.Errorf("records (-want +got)\n%s", diff)
			}
		})
	}
}

// A column of dates or local times is not converted by a time zone.
func TestColumnsOfDates(t *testing.T) {
	for cells, want := range map[string]string{
		"2026-03-05\n2026-03-06": "date", "05.03.2026\n": "date", "20260305\n20260306": "date", "2026-3-5\n2026-12-01": "date",
		"2026-03-05\n2026-03-06 10:00": "local_time", "05.03.2026 10:00\n": "local_time", "05.03.2026 10:00 UTC\n": "timestamp", "2026-3-5\n2026-12-01T10:00:00Z": "timestamp",
		"1768443300\n": "timestamp",
	} {
		corpus, _ := openFolder(t, writeFolder(t, map[string]string{"t.csv": "ID,Booking_date\n1," + strings.Replace(cells, "\n", "\n2,", 1)}))
		if got := corpus.Connectors[0].Streams[0].Fields[1]; got.Type != want || !slices.Contains(got.Aggregations, "group_by_time") {
			t.Errorf("%q: %+v; want %q", cells, got, want)
		}
	}
}

// The name of a column may say that its times are in UTC.
func TestColumnsOfTimesInUTC(t *testing.T) {
	for name, want := range map[string]string{
		"Created (UTC)": "timestamp", "startTimeGMT": "timestamp", "created_at_utc": "timestamp", "startTimeLocal": "local_time", "Outcutcome": "local_time",
	} {
		corpus, _ := openFolder(t, writeFolder(t, map[string]string{"t.csv": "ID," + name + "\n1,2026-03-05 10:00\n"}))
		if got := corpus.Connectors[0].Streams[0].Fields[1]; got.Type != want {
			t.Errorf("%s is of type %s, want %s", name, got.Type, want)
		}
	}
}

func TestAColumnHasItsTypeAndRole(t *testing.T) {
	corpus, _ := openFolder(t, writeFolder(t, map[string]string{
		"t.csv": "ID,Order Date,Title,Price,Code\n7,31.12.2025,Lamp,1.5,01\n8,,Chair,,02\n", "manifest.json": `{"streams":{"t":{"types":{"Price":"string"}}}}`,
	}))
	stream := corpus.Connectors[0].Streams[0]
	var got []string
	for _, field := range stream.Fields {
		got = append(got, strings.TrimSpace(field.Name+" "+field.Type+" "+field.Role))
	}
	want := []string{"ID integer", "Order_Date date event-time", "Title string primary-title", "Price string", "Code string"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	records := collectRecords(t, corpus)
	if records[0].ID != "7" || records[0].EmittedAt.Year() != 2025 || string(records[0].Data) != `{"ID":7,"Order_Date":"2025-12-31","Title":"Lamp","Price":"1.5","Code":"01"}` {
		t.Errorf("%s at %s: %s", records[0].ID, records[0].EmittedAt, records[0].Data)
	}
}

// otherSpaces replaces the no-break and wide spaces of the charsets that the importer detects: Windows-125x, KOI8-R, Macintosh, GB 18030
// and EUC-KR, Shift JIS, Big5.
var otherSpaces = strings.NewReplacer("\xa0", " ", "\x9a", " ", "\xca", " ", "\xa1\xa1", " ", "\x81@", " ", "\xa1@", " ")

// FuzzCSV checks that the reader accepts any bytes, returns valid records, returns the same records when it reads again, and that every
// line that is not empty is in the header, a record or a skip, unless a cell spans lines. A first line with a date may be a record, and a
// single cell is skipped.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n\"x\"\"y\n\",3\n5\" n,\n"))
	f.Add([]byte("sep=;\na;b;b\n\xe9;;;;\n"))
	f.Add([]byte("\xff\xfea\x00\n\x001\x00"))
	f.Add([]byte("d\n31/12/2026\n1/2/2006\n\n\r\n2026-01-01"))
	f.Add([]byte("1/2/2026\n1/2/20"))
	f.Add([]byte("a,b\n1/2/2026,3\n1/2/20"))
	f.Add([]byte("\u2028\na\n\xa0\n\f\nb"))
	f.Add([]byte("A"))
	f.Fuzz(func(t *testing.T, text []byte) {
		count := scanned(t, fileStream{stream: "t", format: formatTable, idField: "none"}, text)
		if strings.ContainsAny(string(text), "\"\x00") || utf8text.UTF16(text) != nil || strings.Contains(strings.ToLower(string(text)), "sep=") {
			return
		}
		lines, first, end := -1, "", "\n" // the header
		blank := 0                        // lines of only spaces and separators: nothing, an empty row, or a value if another character separates cells
		if !strings.Contains(string(text), end) {
			end = "\r" // as on old Macs
		}
		isBlank := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|", r) }
		for line := range strings.SplitSeq(strings.TrimPrefix(string(text), item.ByteOrderMark), end) {
			if strings.TrimFunc(line, isBlank) == "" || strings.TrimFunc(otherSpaces.Replace(line), isBlank) == "" {
				blank++
			} else if lines++; first == "" {
				first = line
			}
		}
		headless := count == lines+1 && (strings.ContainsAny(first, "0123456789") || lines == 0)
		if (count < lines || count > max(lines, 0)+blank) && !headless && len(text) < 1000 {
			t.Errorf("%d records and skips of %d lines in %q", count, lines, text)
		}
	})
}

// Rows that do not match the header are reported. A row that is too long or has an unclosed quotation mark is left out without affecting
// other rows; a row that is too short is kept.
func TestRowsThatDoNotMatchTheHeaderAreReported(t *testing.T) {
	const open = "a quotation mark is opened and not closed"
	rows := func(count int) (text string) {
		for id := range count {
			text += fmt.Sprintf("%d,x,1\n", id+100)
		}
		return text
	}
	for _, test := range []struct {
		name, text    string
		ids           string
		skipped, kept []Skip
	}{
		{"an unclosed mark", "id,a,b\n1,x,1\n2,\"x,1\n3,x,1\n", "1 3", []Skip{{"t.csv", 3, open}}, nil},
		{"an unclosed mark before a line that is too long", "id,a,b\n1,x,1\n2,\"x,1\n" + strings.Repeat("y", item.MaxLine+1) + "\n3,x,1\n", "1 3",
			[]Skip{{"t.csv", 3, open}, {"t.csv", 4, "longer than 16 MiB"}}, nil},
		{"one far below the header", "id,a,b\n" + rows(60) + "2,\"x,1\n3,x,1\n4,x,1\n", "158 159 3 4", []Skip{{"t.csv", 62, open}}, nil},
		{"one in the last cell", "id,a\n1,x\n2,\"x\n3,x\n4,x\n", "1 3 4", []Skip{{"t.csv", 3, open}}, nil},
		{"one in the last cell of the file", "id,a\n1,x\n2,\"x", "1", []Skip{{"t.csv", 3, open}}, nil},
		{"a mark in a text", "id,a\n1,5\" nails\n2,x\n", "1 2", nil, nil},
		{"a text that ends with a line", "id,a\n1,\"x\n\"\n2,x\n", "1 2", nil, nil},
		{
			"short rows and a long one", "id,a,b,c\n1,x,1,1\n2,x\n3,x,1\n4,x,1,1,1\n5,x,1,1\n", "1 2 3 5",
			[]Skip{{"t.csv", 5, "the row has 5 cells, and the header 4"}}, []Skip{
				{"t.csv", 3, "the row has 2 cells, and the header 4; it is kept"}, {"t.csv", 4, "the row has 3 cells, and the header 4; it is kept"},
			},
		},
		{"a header that ends with a separator", "id;a;b;\n1;x;1\n2;x;1\n", "1 2", nil, nil},
		{"no header", "2026-01-15,1,x\n2026-01-16,1\n", "1 2", nil, []Skip{{"t.csv", 2, "the row has 2 cells, and the header 3; it is kept"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var skipped, kept []Skip
			corpus, err := Open(t.Context(), writeFolder(t, map[string]string{"t.csv": test.text}), nil, Watch{
				Skipped: func(s Skip) { skipped = append(skipped, s) }, Kept: func(s Skip) { kept = append(kept, s) },
			})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, record := range collectRecords(t, corpus) {
				ids = append(ids, record.ID)
			}
			diff := cmp.Diff([][]Skip{test.skipped, test.kept}, [][]Skip{skipped, kept})
			if diff != "" || !strings.HasSuffix(strings.Join(ids, " "), test.ids) {
				t.Errorf("ids %v (-want +got)\n%s", ids, diff)
			}
		})
	}
}
